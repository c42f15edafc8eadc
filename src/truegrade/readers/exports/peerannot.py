"""peerannot's answers.json: {task: {worker: label}}."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truegrade.errors import FileError
from truegrade.readers.exports.export import Content, Export, Wanted
from truegrade.readers.jsonstream import JsonShape

if TYPE_CHECKING:
    from truegrade.readers.exports.answers import Answers

__all__ = ["PEERANNOT"]


def finds(content: Content) -> bool:
    """One object of objects, which hold plain labels."""
    return content.shape is JsonShape.OBJECT


def read(content: Content, _wanted: Wanted, answers: Answers) -> None:
    """The keys are the tasks, and inside them the workers."""
    answers.names |= {"annotator": "the keys inside", "instance": "the keys", "rating": "the values"}
    for task, given in content.items(answers):
        if not isinstance(given, dict):
            raise FileError(
                f"{content.where}: task '{task[:40]}' holds {str(given)[:40]!r} where its workers' labels should be; "
                'write {"task": {"worker": label}}'
            )
        for worker, label in given.items():
            answers.add(task, worker, label)


PEERANNOT = Export("peerannot", "peerannot's answers.json", finds, read, fields=frozenset())
