#include "client/events/correlator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/random.h"
#include "crypto/digest.h"
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

// No plan depends on it, as long as nobody can guess it.
std::array<unsigned char, crypto::SipHash::kKeySize> make_key() {
  std::array<unsigned char, crypto::SipHash::kKeySize> key{};
  SystemRandom().fill(key);
  return key;
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

Correlator::Correlator()
    : keyed_hash_(std::make_unique<const crypto::SipHash>(correlator::make_key())) {}

Correlator::~Correlator() = default;

size_t Correlator::HashOfKey::operator()(const Key& key) const {
  size_t hash = 0;
  std::memcpy(&hash, key.data(), sizeof hash);
  return hash;
}

Correlator::Key Correlator::key_of(const ObjectReference& about,
                                   std::initializer_list<std::string_view> more) const {
  crypto::SipHash hash = *keyed_hash_;
  for (const std::string_view part :
       {about.kind, about.name_space, about.name, about.uid, about.api_version}) {
    hash.add(part);
  }
  for (const std::string_view part : more) hash.add(part);
  return hash.finish().bytes;
}

bool Correlator::take_token(const Occurrence& occurrence) {
  const auto [found, is_new] =
      buckets_.try_emplace(key_of(occurrence.about, {}), Bucket{correlator::kBurst, occurrence.at});
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

bool Correlator::is_one_of_many(const Occurrence& occurrence) {
  Group& group = groups_[key_of(occurrence.about,
                                {occurrence.about.field_path, occurrence.type, occurrence.reason})];
  if (occurrence.at - group.last > correlator::kWindow) group.messages.clear();
  group.last = occurrence.at;
  const Key message = key_of({}, {occurrence.message});
  // At most one more than the bound is kept: it stands for any number.
  if (group.messages.size() < correlator::kManyMessages &&
      std::ranges::find(group.messages, message) == group.messages.end()) {
    group.messages.push_back(message);
  }
  return group.messages.size() >= correlator::kManyMessages;
}

std::optional<EventPlan> Correlator::plan(const Occurrence& occurrence) {
  forget_old(occurrence.at);
  if (!take_token(occurrence)) return std::nullopt;
  const bool combined = is_one_of_many(occurrence);
  const ObjectReference& about = occurrence.about;
  // All combined messages are one series.
  Series& series = series_[key_of(about, {about.field_path, occurrence.type, occurrence.reason,
                                          combined ? std::string_view() : occurrence.message})];
  const bool fresh = series.count == 0 || occurrence.at - series.last > correlator::kWindow;
  if (fresh) {
    // Events of the same moment get different names.
    named_ = std::max(occurrence.at, named_ + Duration(1));
    series = {.named = named_, .first = occurrence.at, .last = occurrence.at, .count = 0};
  }
  ++series.count;
  series.last = occurrence.at;
  return EventPlan{
      .name = fmt::format("{}.{:x}", about.name,
                          static_cast<uint64_t>(series.named.time_since_epoch().count())),
      .message = (combined ? "(combined from similar events): " : "") + occurrence.message,
      .first = series.first,
      .count = series.count};
}

void Correlator::forget_old(Time now) {
  const auto since = [&](const auto& entry) { return now - entry.last > correlator::kWindow; };
  correlator::shrink(series_, since);
  correlator::shrink(groups_, since);
  correlator::shrink(
      buckets_, [&](const Bucket& bucket) { return now - bucket.filled > correlator::kWindow; });
}

}  // namespace proa::client
