"""A call of a tool on its way from a client to its result: a person is asked before, where that is wanted."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import msgspec

from gitscalpel.mcp import calls, consent
from gitscalpel.mcp.calls import Call, Done
from gitscalpel.mcp.consent import Question, Word
from gitscalpel.mcp.eras import Client
from gitscalpel.mcp.exchange import Write
from gitscalpel.mcp.offer import Offer
from gitscalpel.mcp.offered import Grant
from gitscalpel.mcp.questions import Questions
from gitscalpel.mcp.wire import CANNOT_BE_ASKED, Fault

_NEEDED: dict[str, Any] = {"requiredCapabilities": {"elicitation": {"form": {}}}}


class Doing(msgspec.Struct, frozen=True):
    """For whom calls are done.

    Attributes:
        offer: what the server offers.
        client: who calls.
        granted: what it is granted.
        questions: how it is asked.
        write: takes what it is told, and asked, before the result.
    """

    offer: Offer
    client: Client
    granted: Grant
    questions: Questions
    write: Write

    def done(self, call: Call, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a call.

        Args:
            call: it.
            params: the request that it came in, which may say what a person has answered.

        Raises:
            Fault: a person has to agree, and the client asks nobody; or its state is none of ours.
        """
        if call.tool.name not in self.offer.confirmed:
            return self._result(self.offer.desk.call(call, self.granted, self.client.name))
        try:
            word, question = consent.obtained(
                lambda: self.offer.desk.question(call, self.granted, self.client.name),
                lambda question: self._word(question, call, params),
            )
        except Fault:
            raise
        except BaseException as error:
            return self._result(calls.refused(call, error))
        if word == "anew":
            return self.offer.result(self.client.era, self.offer.seals.required(question))
        if word == "no":
            return self._result(calls.refused(call, consent.refusal(call.tool.name)))
        agreed = call._replace(confirmed=self.client.name or "a client")
        return self._result(self.offer.desk.call(agreed, self.granted, self.client.name))

    def _word(self, question: Question, call: Call, params: Mapping[str, Any]) -> Word:
        if not self.client.has_person:
            words = f"a person has to agree to {call.tool.name}, and this client asks nobody"
            raise Fault(CANNOT_BE_ASKED, words, _NEEDED)
        if self.client.era.stateless:
            return self.offer.seals.word(params, question)
        stop = call.stop or threading.Event()
        return consent.word(self.questions.ask("elicitation/create", question.form, self.write, stop))

    def _result(self, done: Done) -> dict[str, Any]:
        wanted = self.client.wants_data or (self.offer.answers and self.client.era.structured)
        return self.offer.result(self.client.era, _content(done, data=wanted))


def _content(done: Done, *, data: bool) -> dict[str, Any]:
    said = {"structuredContent": done.envelope} if data and not done.bare else {}
    return {"content": [{"type": "text", "text": done.text}], **said, "isError": done.is_error}
