#include "kubelet/pod/handlers/probes/health_message.h"

#include <array>
#include <cstdint>
#include <optional>

namespace proa::kubelet {
namespace health_message {

constexpr std::array<std::string_view, 4> kNames = {"UNKNOWN", "SERVING", "NOT_SERVING",
                                                    "SERVICE_UNKNOWN"};

void print_varint(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// Takes it off the front; nullopt when it is cut off or too long.
std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

// Skips the value of a field that we don't know, by its wire type.
bool skip(std::string_view& bytes, uint64_t wire_type) {
  std::optional<uint64_t> size;
  switch (wire_type) {
    case 0:
      return take_varint(bytes).has_value();
    case 1:
      size = 8;
      break;
    case 2:
      size = take_varint(bytes);
      break;
    case 5:
      size = 4;
      break;
    default:
      break;
  }
  if (!size || *size > bytes.size()) return false;
  bytes.remove_prefix(*size);
  return true;
}

}  // namespace health_message

std::string print_health_request(std::string_view service) {
  std::string out;
  if (service.empty()) return out;
  health_message::print_varint(out, 1 << 3 | 2);  // service, field 1, by its length
  health_message::print_varint(out, service.size());
  out += service;
  return out;
}

std::string read_health_answer(std::string_view message) {
  uint64_t status = 0;
  while (!message.empty()) {
    const auto tag = health_message::take_varint(message);
    if (!tag) return "UNKNOWN";
    if (*tag == (1 << 3 | 0)) {  // status, field 1, a varint
      const auto number = health_message::take_varint(message);
      if (!number) return "UNKNOWN";
      status = *number;
    } else if (!health_message::skip(message, *tag & 7)) {
      return "UNKNOWN";
    }
  }
  return status < health_message::kNames.size() ? std::string(health_message::kNames[status])
                                                : std::to_string(status);
}

}  // namespace proa::kubelet
