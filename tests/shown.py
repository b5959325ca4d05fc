"""What pages in a browser may not show, whatever they are about."""

import re
from typing import Final

from playwright.sync_api import Page

from rankworth.profiles import PROFILES
from rankworth.settings import SETTINGS

BROKEN: Final = re.compile(r"\b(?:undefined|NaN|null)\b|\[object")
OF_PROFILES: Final = [
    text
    for each in PROFILES.values()
    for text in (each.sentence, *each.why.values(), *each.differs, *each.refuses.values())
    if BROKEN.search(text)
]
"""Sentences that say NaN of a tool, and mean it."""
SHOWN: Final = """[document.body, ...document.querySelectorAll('body :not(script, li > b)')].flatMap((each) => [
    ...[...each.attributes].map((attribute) => attribute.value),
    ...[...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data),
])"""
"""All texts and attributes of a page, but names of settings."""
NAMES: Final = "[...document.querySelectorAll('li > b')].map((each) => each.textContent)"
"""Names of settings, of which `undefined` is a setting."""


def assert_all_is_said(page: Page) -> None:
    """No text and no attribute holds what a program writes for a value that is not there."""
    shown = [text for text in page.evaluate(SHOWN) if BROKEN.search(text)]
    shown += [name for name in page.evaluate(NAMES) if BROKEN.search(name) and name not in SETTINGS]
    odd = [text for text in shown if not any(sentence in text for sentence in OF_PROFILES)]
    assert not odd, odd
