#include "dns/forward/cache.h"

#include <algorithm>

#include "base/check.h"

namespace proa::dns {
namespace cache {

using std::chrono::seconds;

// A node of the list, one of the index, its bucket, and what the allocator adds.
constexpr size_t kOverhead = 160;
// Of the bytes, for answers that were asked for again.
constexpr size_t kInUseParts = 3;
constexpr size_t kParts = 4;

uint32_t whole_seconds(Duration left) {
  return static_cast<uint32_t>((left + seconds(1) - Duration(1)) / seconds(1));
}

}  // namespace cache

Cache::Cache(Clock& clock, uint64_t seed, const CacheSettings& settings)
    : clock_(clock), seed_(seed), shards_(new Shard[kShards]) {
  configure(settings);
}

void Cache::configure(const CacheSettings& settings) {
  for (size_t i = 0; i < kShards; ++i) {
    Shard& shard = shards_[i];
    const MutexLock lock(shard.mutex);
    shard.settings = settings;
    shard.settings.bytes = settings.enabled ? settings.bytes / kShards : 0;
    shrink(shard);
  }
}

void Cache::clear() {
  for (size_t i = 0; i < kShards; ++i) {
    Shard& shard = shards_[i];
    const MutexLock lock(shard.mutex);
    shard.index.clear();
    shard.probation.clear();
    shard.in_use.clear();
    shard.bytes = shard.in_use_bytes = shard.negative = 0;
  }
}

Cache::Entries::iterator Cache::iterator_of(Shard& shard, uint64_t hash, const Entry& entry) {
  const auto [begin, end] = shard.index.equal_range(hash);
  const auto found =
      std::find_if(begin, end, [&](const auto& one) { return &*one.second == &entry; });
  CHECK(found != end);
  return found->second;
}

Cache::Entry* Cache::find_entry(Shard& shard, uint64_t hash, const Query& query) {
  const auto [begin, end] = shard.index.equal_range(hash);
  for (auto one = begin; one != end; ++one) {
    Entry& entry = *one->second;
    if (entry.dnssec_ok == query.dnssec_ok && entry.checking_disabled == query.checking_disabled &&
        entry.answer.is_about(query.question)) {
      return &entry;
    }
  }
  return nullptr;
}

// Into the answers that are in use; the least recently used of them returns to probation.
void Cache::touch(Shard& shard, Entry& entry) {
  const auto at = iterator_of(shard, entry.hash, entry);
  if (entry.protected_entry) {
    shard.in_use.splice(shard.in_use.begin(), shard.in_use, at);
    return;
  }
  entry.protected_entry = true;
  shard.in_use.splice(shard.in_use.begin(), shard.probation, at);
  shard.in_use_bytes += entry.bytes;
  while (shard.in_use_bytes > shard.settings.bytes / cache::kParts * cache::kInUseParts) {
    const auto last = std::prev(shard.in_use.end());
    last->protected_entry = false;
    shard.in_use_bytes -= last->bytes;
    shard.probation.splice(shard.probation.begin(), shard.in_use, last);
  }
}

bool Cache::wants_refresh(const CacheSettings& settings, Entry& entry, Steady now) {
  if (now - entry.counted_since > settings.prefetch_period) {
    entry.counted_since = now;
    entry.hits = 0;
  }
  ++entry.hits;
  if (settings.prefetch_amount == 0 || entry.hits < settings.prefetch_amount || entry.refreshing) {
    return false;
  }
  if ((entry.expires - now) * 100 >= entry.ttl * settings.prefetch_percentage) return false;
  entry.refreshing = true;
  return true;
}

Cache::Hit Cache::find(const Query& query, std::span<uint8_t> out) {
  const uint64_t hash = hash_query(query, seed_);
  Shard& shard = shard_of(hash);
  const Steady now = clock_.steady();
  const MutexLock lock(shard.mutex);
  Entry* const entry = find_entry(shard, hash, query);
  if (entry == nullptr) return {};
  const bool stale = now >= entry->expires;
  if (stale && now >= entry->held_until) return {};
  Hit hit{.stale = stale, .negative = entry->answer.kind() != Answer::Kind::kPositive};
  hit.refresh = !stale && wants_refresh(shard.settings, *entry, now);
  const uint32_t ttl = stale ? 0 : cache::whole_seconds(entry->expires - now);
  hit.size = entry->answer.write(query, ttl, out);
  touch(shard, *entry);
  return hit;
}

Cache::Hit Cache::find_stale(const Query& query, std::span<uint8_t> out) {
  const uint64_t hash = hash_query(query, seed_);
  Shard& shard = shard_of(hash);
  const Steady now = clock_.steady();
  const MutexLock lock(shard.mutex);
  Entry* const entry = find_entry(shard, hash, query);
  if (entry == nullptr || entry->answer.kind() == Answer::Kind::kFailure ||
      now >= entry->expires + shard.settings.serve_stale) {
    return {};
  }
  entry->held_until = now + shard.settings.failure_ttl;
  return {.size = entry->answer.write(query, 0, out),
          .stale = true,
          .negative = entry->answer.kind() != Answer::Kind::kPositive};
}

bool Cache::has_stale(const Query& query) const {
  const uint64_t hash = hash_query(query, seed_);
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  const Entry* const entry = find_entry(shard, hash, query);
  return entry != nullptr && entry->answer.kind() != Answer::Kind::kFailure &&
         clock_.steady() < entry->expires + shard.settings.serve_stale;
}

Duration Cache::ttl_of(const CacheSettings& settings, const Answer& answer) {
  const Duration ttl = cache::seconds(answer.ttl());
  switch (answer.kind()) {
    case Answer::Kind::kPositive:
      return std::clamp(ttl, std::min(settings.min_ttl, settings.max_ttl), settings.max_ttl);
    case Answer::Kind::kNegative:
      return std::clamp(ttl, std::min(settings.min_negative_ttl, settings.max_negative_ttl),
                        settings.max_negative_ttl);
    case Answer::Kind::kFailure:
      return settings.failure_ttl;
  }
  return {};
}

uint32_t Cache::put(const Query& query, const Answer& answer) {
  const uint64_t hash = hash_query(query, seed_);
  Shard& shard = shard_of(hash);
  const Steady now = clock_.steady();
  const MutexLock lock(shard.mutex);
  if (!shard.settings.enabled) return answer.ttl();
  const Duration ttl = ttl_of(shard.settings, answer);
  if (ttl <= Duration(0)) return answer.ttl();
  const uint32_t told = cache::whole_seconds(ttl);
  if (answer.memory() > kMostAnswer) return told;
  Entry entry{.hash = hash,
              .answer = answer,
              .expires = now + ttl,
              .counted_since = now,
              .ttl = ttl,
              .dnssec_ok = query.dnssec_ok,
              .checking_disabled = query.checking_disabled};
  bool was_in_use = false;
  if (const Entry* const before = find_entry(shard, hash, query); before != nullptr) {
    const bool usable = before->answer.kind() != Answer::Kind::kFailure &&
                        now < before->expires + shard.settings.serve_stale;
    if (usable && answer.kind() == Answer::Kind::kFailure) return told;
    entry.hits = before->hits;
    entry.counted_since = before->counted_since;
    was_in_use = before->protected_entry;
    remove(shard, iterator_of(shard, hash, *before));
  }
  entry.bytes = sizeof(Entry) + entry.answer.memory() + cache::kOverhead;
  shard.bytes += entry.bytes;
  shard.negative += answer.kind() == Answer::Kind::kPositive ? 0 : 1;
  shard.probation.push_front(std::move(entry));
  shard.index.emplace(hash, shard.probation.begin());
  if (was_in_use) touch(shard, shard.probation.front());
  shrink(shard);
  return told;
}

void Cache::remove(Shard& shard, Entries::iterator entry) {
  const auto [begin, end] = shard.index.equal_range(entry->hash);
  const auto found = std::find_if(begin, end, [&](const auto& one) { return one.second == entry; });
  CHECK(found != end);
  shard.index.erase(found);
  shard.bytes -= entry->bytes;
  shard.negative -= entry->answer.kind() == Answer::Kind::kPositive ? 0 : 1;
  if (entry->protected_entry) {
    shard.in_use_bytes -= entry->bytes;
    shard.in_use.erase(entry);
  } else {
    shard.probation.erase(entry);
  }
}

void Cache::shrink(Shard& shard) {
  while (shard.bytes > shard.settings.bytes) {
    Entries& from = shard.probation.empty() ? shard.in_use : shard.probation;
    remove(shard, std::prev(from.end()));
  }
}

Cache::Size Cache::size() const {
  Size size;
  for (size_t i = 0; i < kShards; ++i) {
    const Shard& shard = shards_[i];
    const MutexLock lock(shard.mutex);
    size.bytes += shard.bytes;
    size.negative += shard.negative;
    size.positive += shard.index.size() - shard.negative;
  }
  return size;
}

}  // namespace proa::dns
