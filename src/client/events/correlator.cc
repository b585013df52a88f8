#include "client/events/correlator.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/text/scan.h"

namespace proa::client {
namespace correlator {

// Upstream's numbers: a burst of 25 Events, then one in five minutes; ten different messages within
// ten minutes are combined; 4096 entries are remembered.
constexpr double kBurst = 25;
constexpr double kPerSecond = 1.0 / 300;
constexpr size_t kManyMessages = 10;
constexpr Duration kWindow = std::chrono::minutes(10);
constexpr size_t kMaxRemembered = 4096;

// Parts cannot contain the separator.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part).push_back('\0');
  return text;
}

std::string object_key(const ObjectReference& about) {
  return joined({about.kind, about.name_space, about.name, about.uid, about.api_version});
}

template <typename Map, typename IsOld>
void shrink(Map& map, const IsOld& is_old) {
  if (map.size() < kMaxRemembered) return;
  std::erase_if(map, [&](const auto& entry) { return is_old(entry.second); });
  // All entries are fresh: starting over is better than growing, or sweeping on every Event.
  if (map.size() >= kMaxRemembered) map.clear();
}

}  // namespace correlator

ObjectReference ObjectReference::to(const api::Object& object) {
  const api::Metadata& metadata = object.metadata();
  const auto text = [&](std::string_view field) {
    return std::string(json::Scan::unquoted(json::Scan::find(object.json(), field)));
  };
  return {.api_version = text("apiVersion"),
          .kind = text("kind"),
          .name_space = std::string(metadata.name_space),
          .name = std::string(metadata.name),
          .uid = std::string(metadata.uid),
          .resource_version = std::string(metadata.resource_version),
          .field_path = {}};
}

bool Correlator::take_token(const Occurrence& occurrence) {
  const auto [found, is_new] = buckets_.try_emplace(correlator::object_key(occurrence.about),
                                                    Bucket{correlator::kBurst, occurrence.at});
  Bucket& bucket = found->second;
  const std::chrono::duration<double> since = occurrence.at - bucket.filled;
  // A calendar that was set back adds no tokens.
  const double more = std::max(0.0, since.count()) * correlator::kPerSecond;
  bucket.tokens = std::min(correlator::kBurst, bucket.tokens + more);
  bucket.filled = occurrence.at;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

std::string Correlator::message_of(const Occurrence& occurrence, bool* combined) {
  Group& group = groups_[correlator::joined({correlator::object_key(occurrence.about),
                                             occurrence.about.field_path, occurrence.type,
                                             occurrence.reason})];
  if (occurrence.at - group.last > correlator::kWindow) group.messages.clear();
  group.last = occurrence.at;
  // At most one more than the bound is kept: it stands for any number.
  if (group.messages.size() < correlator::kManyMessages) group.messages.insert(occurrence.message);
  *combined = group.messages.size() >= correlator::kManyMessages;
  if (!*combined) return occurrence.message;
  return "(combined from similar events): " + occurrence.message;
}

std::optional<EventPlan> Correlator::plan(const Occurrence& occurrence) {
  forget_old(occurrence.at);
  if (!take_token(occurrence)) return std::nullopt;
  bool combined = false;
  std::string message = message_of(occurrence, &combined);
  const std::string key = correlator::joined(
      {correlator::object_key(occurrence.about), occurrence.about.field_path, occurrence.type,
       occurrence.reason, combined ? std::string_view() : std::string_view(message)});
  Series& series = series_[key];
  const bool fresh = series.plan.name.empty() || occurrence.at - series.last > correlator::kWindow;
  if (fresh) {
    // Events of the same moment get different names.
    named_ = std::max(occurrence.at, named_ + Duration(1));
    series.plan = {.name = fmt::format("{}.{:x}", occurrence.about.name,
                                       static_cast<uint64_t>(named_.time_since_epoch().count())),
                   .message = {},
                   .first = occurrence.at,
                   .count = 0};
  }
  ++series.plan.count;
  series.plan.message = std::move(message);
  series.last = occurrence.at;
  return series.plan;
}

void Correlator::forget_old(Time now) {
  const auto since = [&](const auto& entry) { return now - entry.last > correlator::kWindow; };
  correlator::shrink(series_, since);
  correlator::shrink(groups_, since);
  correlator::shrink(
      buckets_, [&](const Bucket& bucket) { return now - bucket.filled > correlator::kWindow; });
}

}  // namespace proa::client
