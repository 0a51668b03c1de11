import React from 'react';

interface Props<T> extends Base {
  name: string;
  render?(item: T): void;
  readonly count: number;
}
export type Alias = { field: string } | null;
export enum Color { Red, Green = 'g' }
declare const ambient: number;
declare module 'm' {
  export function inModule(): void;
}
export namespace Space.Deep {
  export const inner = 1;
  export function help(): void {}
}
abstract class Base<T> {
  private readonly field: string = '';
  static shared?: number;
  constructor(private parameter: string) {}
  abstract area(): number;
  protected async run<T>(x: T): Promise<T> { return x; }
  handler = (e: Event): void => {};
  @decorated() method() {}
}
function overload(a: string): void;
function overload(a: number): void;
function overload(a: any): void {}

export const Component: React.FC<Props<string>> = ({ name }) => {
  const [state, setState] = useState(0);
  return <div onClick={() => setState(1)}>{name}</div>;
};
export default function App(): JSX.Element {
  return <Component name="function no() {}" />;
}
@decorator
export class Decorated {}
