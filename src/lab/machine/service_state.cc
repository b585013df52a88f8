#include "lab/machine/service_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/strings.h"

namespace proa::lab {
namespace service_states {

// By ServicePhase.
constexpr std::string_view kNames[] = {"starting", "running", "stopped", "failing"};
constexpr size_t kWords = 3;

}  // namespace service_states

std::string_view name_of(ServicePhase phase) {
  return service_states::kNames[static_cast<size_t>(phase)];
}

std::string print_service_state(const ServiceState& state) {
  return fmt::format("{} {} {}\n", name_of(state.phase), state.restarts, state.exit_code);
}

std::optional<ServiceState> parse_service_state(std::string_view text) {
  using namespace service_states;  // NOLINT: this unit's own
  const std::vector<std::string_view> words = split(text.substr(0, text.find('\n')), ' ');
  if (words.size() != kWords) return std::nullopt;
  const auto* const name = std::ranges::find(kNames, words[0]);
  const auto restarts = parse_int(words[1]);
  const auto exit_code = parse_int(words[2]);
  if (name == std::end(kNames) || !restarts || !exit_code) return std::nullopt;
  return ServiceState{.phase = static_cast<ServicePhase>(name - std::begin(kNames)),
                      .restarts = static_cast<int>(*restarts),
                      .exit_code = static_cast<int>(*exit_code)};
}

}  // namespace proa::lab
