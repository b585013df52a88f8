#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Numbers of the DNS protocol (RFC 1035, 3596, 2782, 6891), as they are on the wire.

namespace proa::dns {

// Any number can be asked for; those that the code treats in a special way have a name.
enum class Type : uint16_t {
  kA = 1,
  kNs = 2,
  kCname = 5,
  kSoa = 6,
  kPtr = 12,
  kMx = 15,
  kTxt = 16,
  kAaaa = 28,
  kSrv = 33,
  kDname = 39,
  kOpt = 41,
  kSvcb = 64,
  kHttps = 65,
  kIxfr = 251,
  kAxfr = 252,
  kAny = 255,
};

enum class Class : uint16_t { kInternet = 1, kChaos = 3, kNone = 254, kAny = 255 };

enum class Rcode : uint8_t {
  kNoError = 0,
  kFormatError = 1,
  kServerFailure = 2,
  kNameError = 3,  // NXDOMAIN
  kNotImplemented = 4,
  kRefused = 5,
  kBadVersion = 16,  // extended: its upper bits are in the OPT record
};

// "A", "SRV"; "TYPE65000" for a type without a name here.
std::string type_name(Type type);
// The same in the other direction, in any case; false if the text names none.
bool parse_type(std::string_view text, Type& type);
// "NOERROR", "NXDOMAIN", "RCODE17".
std::string rcode_name(Rcode rcode);

using ByteSpan = std::span<const uint8_t>;

constexpr size_t kHeaderSize = 12;
constexpr size_t kMostName = 255;  // bytes of a name on the wire, with the root
constexpr size_t kMostLabel = 63;
constexpr size_t kPlainUdpSize = 512;  // of a response without EDNS
constexpr size_t kMostMessage = 65535;
// What we say we can receive, and the most that is sent by UDP: larger ones are cut by some
// networks (DNS flag day 2020).
constexpr uint16_t kOurUdpSize = 1232;

}  // namespace proa::dns
