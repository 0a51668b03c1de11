"""Rules of the security pack match their examples and no harmless code."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.rules import Policy
from gitscalpel.gates.policy import ast_grep_rules
from tests.gates.gate_calls import judge_policy as judge
from tests.gates.test_policy import outcome

FIRES_AND_PASSES: dict[str, tuple[list[str], list[str]]] = {
    "CWE-78-python-shell": (
        [
            "subprocess.run(cmd, shell=True)",
            'subprocess.check_output(f"ls {x}", shell=True, text=True)',
            "os.system(a + b)",
        ],
        ['subprocess.run(["ls", x])', "subprocess.run(cmd, shell=False)", 'os.system("clear")'],
    ),
    "CWE-95-python-eval": (["eval(text)", "exec(code, scope)"], ["ast.literal_eval(text)", "eval('1 + 1')"]),
    "CWE-502-python-deserialization": (
        ["pickle.loads(data)", "yaml.load(f)", "yaml.load(f, Loader=yaml.Loader)"],
        ["json.loads(data)", "yaml.safe_load(f)", "yaml.load(f, Loader=yaml.SafeLoader)", "pickle.dumps(x)"],
    ),
    "CWE-89-python-sql": (
        [
            'c.execute(f"SELECT {x}")',
            'c.execute("SELECT " + x)',
            'c.execute("SELECT %s" % x)',
            'c.execute("{}".format(x))',
        ],
        ['c.execute("SELECT ?", (x,))', "c.execute(query)", 'c.execute(f"SELECT 1")'],
    ),
    "CWE-295-python-verify": (
        ["requests.get(url, verify=False)", "ssl._create_unverified_context()", "c.check_hostname = False"],
        ["requests.get(url, verify=True)", "requests.get(url, verify=path)", "verify = False"],
    ),
    "CWE-327-python-hash": (
        ["hashlib.md5(data)", "hashlib.sha1()"],
        ["hashlib.sha256(data)", "hashlib.md5(data, usedforsecurity=False)"],
    ),
    "CWE-377-python-mktemp": (["tempfile.mktemp()"], ["tempfile.mkstemp()"]),
    "CWE-22-python-extractall": (
        ["tarfile.open(p).extractall(d)", "with tarfile.open(p) as t:\n    t.extractall(d)"],
        [
            "with tarfile.open(p) as t:\n    t.extractall(d, filter='data')",
            "zipfile.ZipFile(p).extractall(d)",
        ],
    ),
    "CWE-611-python-xml": (
        ["etree.XMLParser(resolve_entities=True)", "etree.XMLParser(a, resolve_entities=True)"],
        ["etree.XMLParser(resolve_entities=False)"],
    ),
    "CWE-489-python-debug": (
        ["app.run(debug=True)", "app.run('h', debug=True)"],
        ["app.run()", "app.run(debug=config.debug)"],
    ),
    "CWE-732-python-chmod": (
        ["os.chmod(p, 0o777)", "os.chmod(p, 0o666)"],
        ["os.chmod(p, 0o755)", "os.chmod(p, mode)"],
    ),
    "CWE-79-python-autoescape": (
        ["Environment(autoescape=False)", 'Markup(f"<b>{x}</b>")'],
        ["Environment(autoescape=True)", "Markup('<b>')"],
    ),
    "CWE-95-javascript-eval": (
        ["eval(text);", "new Function('a', body);"],
        ["eval('1');", "new Function('return 1');"],
    ),
    "CWE-79-javascript-html": (
        ["e.innerHTML = text;", "document.write(a + b);", "e.insertAdjacentHTML('beforeend', x);"],
        ["e.textContent = text;", "e.innerHTML = '';"],
    ),
    "CWE-78-javascript-exec": (
        ["exec(`ls ${x}`);", "child_process.execSync('ls ' + x, opts);"],
        ["exec('ls');", "execFile('ls', [x]);", "re.exec(text);"],
    ),
    "CWE-89-javascript-sql": (
        ["db.query(`SELECT * FROM t WHERE a = ${x}`);", "db.execute('DELETE FROM t WHERE a = ' + x, f);"],
        ["db.query('SELECT * FROM t WHERE a = ?', [x]);", "db.query(`#${id} > a`);"],
    ),
    "CWE-295-javascript-tls": (
        ["f({ rejectUnauthorized: false });", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';"],
        ["f({ rejectUnauthorized: true });"],
    ),
    "CWE-327-javascript-hash": (
        ["crypto.createHash('md5');", "crypto.createCipheriv('aes-128-ecb', k, null);"],
        ["crypto.createHash('sha256');", "crypto.createCipheriv('aes-256-gcm', k, iv);"],
    ),
    "CWE-338-javascript-random": (
        ["const token = Math.random().toString(36);"],
        ["const x = Math.random();", "const token = crypto.randomUUID();"],
    ),
    "CWE-601-javascript-redirect": (["res.redirect(req.query.next);"], ["res.redirect('/login');"]),
    "CWE-347-javascript-jwt": (
        ["jwt.verify(t, k, { algorithms: ['none'] });"],
        ["jwt.verify(t, k, { algorithms: ['HS256'] });", "f({ display: 'none' });"],
    ),
    "CWE-346-javascript-message": (
        ["w.postMessage(m, '*');", 'w.postMessage(m, "*");'],
        ["w.postMessage(m, origin);", "worker.postMessage(m);"],
    ),
    "CWE-78-go-shell": (
        ['exec.Command("sh", "-c", cmd)', 'exec.CommandContext(ctx, "bash", "-c", "ls "+x)'],
        ['exec.Command("ls", x)', 'exec.Command("sh", "-c", "ls")'],
    ),
    "CWE-89-go-sql": (
        ['db.Query(fmt.Sprintf("SELECT %s", x))', 'db.ExecContext(ctx, "DELETE FROM t WHERE a = " + x)'],
        ['db.Query("SELECT ?", x)', 'log.Print(fmt.Sprintf("SELECT %s", x))', "db.Query(query)"],
    ),
    "CWE-295-go-tls": (
        ["_ = tls.Config{InsecureSkipVerify: true}", "c.InsecureSkipVerify = true"],
        ["_ = tls.Config{InsecureSkipVerify: false}", "_ = tls.Config{}"],
    ),
    "CWE-327-go-hash": (["md5.New()", "sha1.Sum(b)", "des.NewCipher(k)"], ["sha256.New()", "hmd5.New()"]),
    "CWE-732-go-permissions": (
        ["os.Chmod(p, 0777)", "os.MkdirAll(p, 0o777)"],
        ["os.Chmod(p, 0755)", "os.MkdirAll(p, 0o750)", "f(0777)"],
    ),
    "CWE-326-go-rsa": (
        ["rsa.GenerateKey(r, 1024)"],
        ["rsa.GenerateKey(r, 2048)", "rsa.GenerateKey(r, bits)"],
    ),
    "CWE-79-go-template": (["template.HTML(x)"], ['template.HTML("<b>")', "template.New(x)"]),
    "CWE-78-java-exec": (
        ['Runtime.getRuntime().exec("ls " + x);'],
        ['Runtime.getRuntime().exec("ls");', "executor.exec(task);"],
    ),
    "CWE-89-java-sql": (
        [
            's.executeQuery("SELECT * FROM t WHERE a = " + x);',
            's.prepareStatement(String.format("UPDATE %s", x));',
        ],
        ['s.prepareStatement("SELECT ?");', "s.execute(task);", 's.execute("a" + b);'],
    ),
    "CWE-502-java-deserialization": (["new ObjectInputStream(in);"], ["new DataInputStream(in);"]),
    "CWE-327-java-hash": (
        ['MessageDigest.getInstance("MD5");', 'Cipher.getInstance("AES/ECB/PKCS5Padding");'],
        ['MessageDigest.getInstance("SHA-256");', 'Cipher.getInstance("AES/GCM/NoPadding");'],
    ),
    "CWE-295-java-trust": (
        [
            "new T() { public void checkServerTrusted(C[] c, String s) { } };",
            "b.setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE);",
        ],
        ["new T() { public void checkServerTrusted(C[] c, String s) { check(c); } };"],
    ),
    "CWE-611-java-xml": (
        ['f.setFeature("http://apache.org/xml/features/disallow-doctype-decl", false);'],
        ['f.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);'],
    ),
    "CWE-614-java-cookie": (["c.setSecure(false);", "c.setHttpOnly(false);"], ["c.setSecure(true);"]),
}
_PLACES = {
    "python": (["a.py"], "%s\n"),
    "javascript": (["a.js", "a.ts", "a.tsx"], "%s\n"),
    "go": (["a.go"], "package a\n\nfunc f() {\n\t%s\n}\n"),
    "java": (["A.java"], "class A {\n  void f() {\n    %s\n  }\n}\n"),
}
EXAMPLES = [
    (name, path, _PLACES[name.split("-")[2]][1] % code, fires)
    for name, both in FIRES_AND_PASSES.items()
    for path in _PLACES[name.split("-")[2]][0]
    for fires, codes in zip((True, False), both, strict=True)
    for code in codes
]


@pytest.mark.parametrize(("rule", "path", "text", "fires"), EXAMPLES)
def test_rule_matches_only_its_examples(rule: str, path: str, text: str, fires: bool) -> None:
    verdict = judge(outcome({}, {path: text}), Policy(packs=("security",)))
    messages = [finding.message for finding in verdict.findings]
    assert [message for message in messages if f"({rule})" in message] == messages
    assert bool(messages) == fires


def test_each_rule_has_positive_and_negative_examples() -> None:
    assert {rule.id for rule in ast_grep_rules.read_pack("security")} == {*FIRES_AND_PASSES}
    assert all(fires and passes for fires, passes in FIRES_AND_PASSES.values())
    assert len(FIRES_AND_PASSES) >= 25


def test_pack_is_off_by_default() -> None:
    assert judge(outcome({}, {"a.py": "eval(x)\n"}), Policy()).status == "skipped"


def test_existing_match_is_not_reported() -> None:
    change = outcome({"a.py": "eval(x)\n"}, {"a.py": "eval(x)\ny = 1\n"})
    assert judge(change, Policy(packs=("security",))).status == "passed"


def test_verdict_lists_the_applied_rules() -> None:
    verdict = judge(
        outcome({}, {"a.go": "package a\n"}), Policy(packs=("security",), deny=("*.pem",), max_files=9)
    )
    assert verdict.rules[:2] == ("deny", "max_files")
    assert {name.split("-")[2] for name in verdict.rules[2:]} == {"go"}
