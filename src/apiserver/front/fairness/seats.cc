#include "apiserver/front/fairness/seats.h"

#include <algorithm>
#include <cmath>

namespace proa::apiserver::fairness {
namespace seats {

constexpr int kMostOfList = 100;
constexpr int kMostOfChange = 10;
constexpr int64_t kBytesPerSeat = 100'000;
constexpr int64_t kMostFromMemory = 1'000'000;  // bytes: the rest is sent in parts
constexpr double kWatchesPerSeat = 10;
constexpr Duration kPerEvent = std::chrono::milliseconds(5);

int within(int max_seats, int most) { return max_seats == 0 ? most : std::min(max_seats, most); }

// As upstream's ShouldDelegateList: other lists are read at a revision of their own.
bool is_from_memory(const Attributes& request, const ListOptions& options) {
  if (request.verb == "watch" || options.match == VersionMatch::kNotOlderThan) return true;
  if (options.match == VersionMatch::kExact || !options.continue_token.empty()) return false;
  return options.limit <= 0 || options.resource_version.empty() || options.resource_version == "0";
}

bool starts_with_objects(const ListOptions& options) {
  return options.send_initial_events.value_or(false) || options.resource_version.empty() ||
         options.resource_version == "0";
}

// Nullopt: more than was looked at.
std::optional<int64_t> objects_held(const Attributes& request, const ListOptions& options,
                                    const ObjectFigures& figures, bool from_memory) {
  if (!request.name.empty()) return 1;
  std::optional<int64_t> objects;
  if (!figures.more) objects = figures.objects;
  // A list that searches holds at least half of what there is.
  const bool searches = !options.labels.requirements().empty() || !options.fields.terms().empty();
  const bool limited = options.limit > 0 && (!objects || options.limit < *objects);
  if (!limited) return objects;
  if (from_memory || !searches) return options.limit;
  if (!objects) return std::nullopt;
  return std::max(options.limit, *objects / 2);
}

// A limit may be any number: the result stays below what an int64_t holds.
int64_t bytes_of(int64_t objects, const ObjectFigures& figures) {
  if (figures.average_bytes <= 0) return 0;
  return std::min(objects, INT64_MAX / figures.average_bytes) * figures.average_bytes;
}

}  // namespace seats

CostKind cost_kind(const Attributes& request, const ListOptions* options) {
  if (!request.is_resource) return CostKind::kFixed;
  if (request.verb == "list") return CostKind::kList;
  if (request.verb == "watch") {
    return options == nullptr || seats::starts_with_objects(*options) ? CostKind::kList
                                                                      : CostKind::kFixed;
  }
  constexpr std::string_view kChanges[] = {"create", "update", "patch", "delete"};
  if (std::ranges::find(kChanges, request.verb) == std::end(kChanges)) return CostKind::kFixed;
  // Makes no event.
  if (request.resource == "serviceaccounts" && request.subresource == "token")
    return CostKind::kFixed;
  return CostKind::kChange;
}

WorkEstimate estimate_list(const Attributes& request, const ListOptions* options,
                           const std::optional<ObjectFigures>& figures, int max_seats) {
  const int most = seats::within(max_seats, seats::kMostOfList);
  if (options == nullptr) return {.initial_seats = most};
  if (!figures) return {.initial_seats = 1};
  const bool from_memory = seats::is_from_memory(request, *options);
  const std::optional<int64_t> objects =
      seats::objects_held(request, *options, *figures, from_memory);
  int64_t bytes = INT64_MAX;
  if (objects) bytes = seats::bytes_of(*objects, *figures);
  if (from_memory) bytes = std::min(bytes, seats::kMostFromMemory);
  const int64_t wanted = bytes / seats::kBytesPerSeat + (bytes % seats::kBytesPerSeat == 0 ? 0 : 1);
  return {.initial_seats = static_cast<int>(std::clamp<int64_t>(wanted, 1, most))};
}

WorkEstimate estimate_change(int64_t watches, int max_seats) {
  // Few watches cost next to nothing.
  if (static_cast<double>(watches) < seats::kWatchesPerSeat) return {};
  const double wanted = std::ceil(static_cast<double>(watches) / seats::kWatchesPerSeat);
  const int given =
      static_cast<int>(std::min<double>(wanted, seats::within(max_seats, seats::kMostOfChange)));
  // The same work on fewer seats takes longer.
  return {.initial_seats = 1,
          .final_seats = given,
          .additional_latency = SeatSeconds::of(wanted, seats::kPerEvent).per_seat(given)};
}

}  // namespace proa::apiserver::fairness
