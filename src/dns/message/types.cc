#include "dns/message/types.h"

#include <array>
#include <utility>

#include "base/strings.h"

namespace proa::dns {
namespace types {

constexpr std::pair<Type, std::string_view> kTypes[] = {
    {Type::kA, "A"},         {Type::kNs, "NS"},     {Type::kCname, "CNAME"},
    {Type::kSoa, "SOA"},     {Type::kPtr, "PTR"},   {Type::kMx, "MX"},
    {Type::kTxt, "TXT"},     {Type::kAaaa, "AAAA"}, {Type::kSrv, "SRV"},
    {Type::kDname, "DNAME"}, {Type::kOpt, "OPT"},   {Type::kSvcb, "SVCB"},
    {Type::kHttps, "HTTPS"}, {Type::kIxfr, "IXFR"}, {Type::kAxfr, "AXFR"},
    {Type::kAny, "ANY"},
};

constexpr std::array<std::string_view, 6> kRcodes = {"NOERROR",  "FORMERR", "SERVFAIL",
                                                     "NXDOMAIN", "NOTIMP",  "REFUSED"};

}  // namespace types

std::string type_name(Type type) {
  for (const auto& [one, name] : types::kTypes) {
    if (one == type) return std::string(name);
  }
  return "TYPE" + std::to_string(static_cast<unsigned>(type));
}

bool parse_type(std::string_view text, Type& type) {
  for (const auto& [one, name] : types::kTypes) {
    if (!equals_ignoring_case(text, name)) continue;
    type = one;
    return true;
  }
  constexpr std::string_view kPrefix = "TYPE";
  if (text.size() <= kPrefix.size()) return false;
  if (!equals_ignoring_case(text.substr(0, kPrefix.size()), kPrefix)) return false;
  const auto number = parse_uint(text.substr(kPrefix.size()));
  if (!number || *number > 0xffff) return false;
  type = static_cast<Type>(*number);
  return true;
}

std::string rcode_name(Rcode rcode) {
  const auto number = static_cast<size_t>(rcode);
  if (number < types::kRcodes.size()) return std::string(types::kRcodes[number]);
  if (rcode == Rcode::kBadVersion) return "BADVERS";
  return "RCODE" + std::to_string(number);
}

}  // namespace proa::dns
