"""The agent of the house: its devices, its rooms, and the tools to see to them."""

from google.adk.agents import LlmAgent

from .model import HouseModel

_DEVICES = {
    "device_1": {"status": "ON", "location": "Living Room"},
    "device_2": {"status": "OFF", "location": "Bedroom"},
    "device_3": {"status": "OFF", "location": "Kitchen"},
}
_TEMPERATURES = {"Living Room": 22, "Bedroom": 20, "Kitchen": 24}

devices: dict[str, dict[str, str]] = {}
temperatures: dict[str, float] = {}


def reset_data() -> None:
    """Put the house back as it was: audition calls this before each eval."""
    devices.clear()
    devices.update({name: dict(device) for name, device in _DEVICES.items()})
    temperatures.clear()
    temperatures.update(_TEMPERATURES)


def get_device_info(device_id: str) -> dict[str, str]:
    """Tell whether a device is on, and where it stands.

    Args:
      device_id: The id of the device, such as device_1.
    """
    return dict(devices.get(device_id, {"error": "Device not found"}))


def set_device_info(device_id: str, status: str) -> str:
    """Switch a device.

    Args:
      device_id: The id of the device, such as device_1.
      status: ON or OFF.
    """
    if device_id not in devices:
        return "Device not found"
    devices[device_id]["status"] = status
    return f"Device {device_id} is now {status}."


def get_temperature(location: str) -> str:
    """Tell how warm a room is, in degrees Celsius.

    Args:
      location: The room.
    """
    return str(temperatures[location]) if location in temperatures else "Location not found"


def set_temperature(location: str, temperature: float) -> str:
    """Heat or cool a room.

    Args:
      location: The room.
      temperature: Degrees Celsius, from 18 to 30.
    """
    if location not in temperatures:
        return "Location not found"
    temperatures[location] = temperature
    return f"Temperature in {location} set to {temperature:g}C."


def list_devices(status: str = "", location: str = "") -> list[dict[str, str]]:
    """List the devices of the house.

    Args:
      status: Only those that are ON or OFF.
      location: Only those in this room.
    """
    return [
        {"device_id": name, **device}
        for name, device in devices.items()
        if status in ("", device["status"]) and location in ("", device["location"])
    ]


reset_data()

root_agent = LlmAgent(
    name="home_automation_agent",
    model=HouseModel(),
    description="Looks after the devices and the heating of a house.",
    instruction=(
        "You look after a house. Never guess what a device or a room is like: ask your tools. Say in one short"
        " sentence what you have changed. Rooms are kept between 18 and 30 degrees Celsius; refuse anything else."
    ),
    tools=[get_device_info, set_device_info, get_temperature, set_temperature, list_devices],
)
