#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "profile/loaded_objects.h"

namespace proa::profile {

// What a number of a profile means: "cpu" in "nanoseconds".
struct ValueType {
  std::string type;
  std::string unit;
};

struct Sample {
  std::vector<uint64_t> stack;  // addresses of instructions, the innermost first
  std::vector<int64_t> values;  // one for each of the profile's types
};

struct Profile {
  std::vector<ValueType> types;
  std::vector<Sample> samples;
  ValueType period_type;
  int64_t period = 0;
  Time begin{};
  Duration duration{};
  std::vector<std::string> comments = {};
};

// The bytes of a perftools.profiles.Profile, not compressed. Functions have their mangled names,
// which pprof makes readable; addresses without a name keep their mapping, so that tools with the
// file can name them.
std::string encode_profile(const Profile& profile, FunctionNames& names);

}  // namespace proa::profile
