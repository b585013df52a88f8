#pragma once

#include <string>
#include <string_view>
#include <vector>

// The scenarios of upstream's scheduler_perf: which nodes there are, which pods come, and what goes
// on meanwhile.

namespace proa::load::scheduling {

struct PodTemplate {
  std::string_view name = "pod";
  std::string_view labels = "{}";
  std::string_view cpu = "100m";
  std::string_view memory = "500Mi";
  std::string_view more = "";  // of the spec, with a comma in front
};

std::string pod(const PodTemplate& of);
std::string node(size_t number, std::string_view zone, std::string_view pods = "110");

// One that no node takes.
inline constexpr PodTemplate kTooLarge = {.name = "pod-h", .cpu = "9", .more = R"(,"priority":10)"};

struct Scenario {
  std::string_view section;
  std::string_view title;
  size_t nodes = 5'000;
  std::vector<std::string> zones = {"zone1"};
  PodTemplate init = {};
  size_t init_pods = 0;
  PodTemplate measured = {};
  size_t pods = 10'000;
  double goal = 0;
  double upstream = 0;  // its own floor
  // Something that goes on meanwhile.
  enum class Meanwhile : uint8_t {
    kNothing,
    kUnschedulable,
    kChurn
  } meanwhile = Meanwhile::kNothing;
};

std::vector<Scenario> scenarios();

}  // namespace proa::load::scheduling
