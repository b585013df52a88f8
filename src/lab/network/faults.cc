#include "lab/network/faults.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace proa::lab {
namespace faults {

// Between two ports of the bridge.
std::string port_rules(const Fault& fault) {
  return fmt::format(
      "    iifname \"{0}\" oifname \"{1}\" drop\n"
      "    iifname \"{1}\" oifname \"{0}\" drop\n",
      fault.a, fault.b);
}

// Where the switch routes, the bridge hides behind which of its ports a machine is.
std::string address_rules(const Machine& a, const Machine& b) {
  std::string text;
  for (const IpPrefix& from : a.cable.addresses) {
    for (const IpPrefix& to : b.cable.addresses) {
      if (from.v6 != to.v6) continue;
      const char* family = from.v6 ? "ip6" : "ip";
      text += fmt::format(
          "    {0} saddr {1} {0} daddr {2} drop\n"
          "    {0} saddr {2} {0} daddr {1} drop\n",
          family, from.address.str(), to.address.str());
    }
  }
  return text;
}

std::string table(std::string_view family, const std::string& rules) {
  // Adding it first makes deleting it possible.
  return fmt::format(
      "table {0} lab {{}}\n"
      "delete table {0} lab\n"
      "table {0} lab {{\n"
      "  chain forward {{\n"
      "    type filter hook forward priority 0\n"
      "{1}"
      "  }}\n"
      "}}\n",
      family, rules);
}

}  // namespace faults

std::string print_faults(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    text += fault.is_cut()
                ? fmt::format("cut {} {}\n", fault.a, fault.b)
                : fmt::format("slow {} {} {} {} {}\n", fault.a, fault.b,
                              format_duration(fault.delay), fault.relay, fault.relay_start);
  }
  return text;
}

std::vector<Fault> parse_faults(std::string_view text) {
  std::vector<Fault> found;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() == 3 && words[0] == "cut") {
      found.push_back({.a = std::string(words[1]), .b = std::string(words[2])});
    }
    if (words.size() != 6 || words[0] != "slow") continue;
    const auto delay = parse_duration(words[3]);
    const auto relay = parse_int(words[4]);
    const auto start = parse_uint(words[5]);
    if (!delay.ok() || *delay <= Duration(0) || !relay || !start) continue;
    found.push_back({.a = std::string(words[1]),
                     .b = std::string(words[2]),
                     .delay = *delay,
                     .relay = *relay,
                     .relay_start = *start});
  }
  return found;
}

std::string fault_rules(const Plan& plan, const std::vector<Fault>& faults) {
  std::string bridged;
  std::string routed;
  for (const Fault& fault : faults) {
    bridged += faults::port_rules(fault);
    routed += faults::port_rules(fault);
    const auto a = plan.find(fault.a);
    const auto b = plan.find(fault.b);
    if (a.ok() && b.ok()) routed += faults::address_rules(**a, **b);
  }
  return faults::table("bridge", bridged) + faults::table("inet", routed);
}

}  // namespace proa::lab
