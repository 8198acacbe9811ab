"""The speed of a model on this machine: measured once, and kept."""

import json
from dataclasses import asdict, dataclass

import httpx2

from fathom.files import write_whole
from fathom.llm.local.catalogue import LocalModel, own_folder
from fathom.llm.local.running import RunningModel

_TEXT = " ".join(f"Table {i} has the columns id, name and price, and joins table {i + 1}." for i in range(12))
_REPLY = 24


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second: of a prompt that is read, and of a reply that is written."""

    prompt: float
    reply: float


def known_speed(model: LocalModel) -> Speed | None:
    """The speed that was measured here, or None."""
    try:
        return Speed(**json.loads((own_folder() / "speeds.json").read_text(encoding="utf-8"))[model.sha256])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def measure_speed(model: LocalModel) -> Speed:
    """Measure the speed, which takes some seconds, and keep it. Raises as asking the model does."""
    running = RunningModel(model)
    try:
        served = running.served()
        content = {
            "prompt": _TEXT,
            "max_tokens": _REPLY,
            "ignore_eos": True,
            "temperature": 0,
            "cache_prompt": False,
        }
        told = httpx2.post(
            f"{served.address}/v1/completions",
            json=content,
            headers={"authorization": f"Bearer {served.token}"},
            timeout=600.0,
        ).raise_for_status()
    finally:
        running.close()
    timings = told.json()["timings"]
    speed = Speed(round(timings["prompt_per_second"], 1), round(timings["predicted_per_second"], 1))
    file = own_folder() / "speeds.json"
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        kept = {}
    write_whole(file, json.dumps({**kept, model.sha256: asdict(speed)}))
    return speed
