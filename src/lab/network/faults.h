#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "lab/plan/plan.h"

namespace proa::lab {

// What is wrong between two machines; in both directions.
struct Fault {
  std::string a = {};
  std::string b = {};
  Duration delay{};  // zero: nothing passes
  // Of a delay: the process that passes packets on, and its start time.
  int64_t relay = 0;
  uint64_t relay_start = 0;

  bool is_cut() const { return delay == Duration(0); }
  bool is_between(std::string_view one, std::string_view other) const {
    return (a == one && b == other) || (a == other && b == one);
  }
  bool is_of(std::string_view machine) const { return a == machine || b == machine; }
  bool operator==(const Fault&) const = default;
};

// A line each. Lines that print_faults() does not write are left out.
std::string print_faults(const std::vector<Fault>& faults);
std::vector<Fault> parse_faults(std::string_view text);

// Input for nft in the switch: tables that drop what is cut, and what a relay passes on instead.
// They replace those of an earlier call as a whole.
std::string fault_rules(const Plan& plan, const std::vector<Fault>& faults);

}  // namespace proa::lab
