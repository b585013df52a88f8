#pragma once

#include <array>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "dns/config/settings.h"
#include "dns/forward/answer.h"

namespace proa::dns {

// Answers of upstreams, until their TTL is over, and longer for when upstreams fail. Bounded in
// bytes. A new answer is on probation until it is asked for a second time, and what is evicted is
// on probation first: a flood of random names does not evict the names that are in use.
// Thread-safe.
class Cache {
 public:
  // `seed`: secret, so that nobody can choose names that fall into one place.
  Cache(Clock& clock, uint64_t seed, const CacheSettings& settings);

  // Answers that were kept stay, within the new limits.
  void configure(const CacheSettings& settings);

  // Forgets everything.
  void clear();

  struct Hit {
    size_t size = 0;  // of the response; 0: not found
    bool stale = false;
    bool negative = false;
    bool refresh = false;  // a hot name whose time ends soon: the caller asks for it again
  };
  // Writes the response if there is one whose time is not over. Does not allocate.
  Hit find(const Query& query, std::span<uint8_t> out);
  // Writes one whose time is over, with a TTL of zero, if it may still be used. For a few seconds
  // from now on find() returns it, too, since asking again would fail again.
  Hit find_stale(const Query& query, std::span<uint8_t> out);
  bool has_stale(const Query& query) const;

  // Keeps an answer for this query; returns the TTL, in seconds, that clients are told. An answer
  // that could be used when upstreams fail is not replaced by a failure.
  uint32_t put(const Query& query, const Answer& answer);

  struct Size {
    size_t positive = 0;
    size_t negative = 0;
    size_t bytes = 0;
  };
  Size size() const;

 private:
  // Larger answers are rare, and not worth evicting hundreds of others.
  static constexpr size_t kMostAnswer = 16 * 1024;
  static constexpr size_t kShards = 8;

  struct Entry {
    uint64_t hash;
    Answer answer;
    Steady expires;
    Steady held_until = Steady::min();  // served although it is stale
    Steady counted_since;
    Duration ttl;
    uint32_t hits = 0;
    bool dnssec_ok;
    bool checking_disabled;
    bool protected_entry = false;
    bool refreshing = false;
    size_t bytes = 0;
  };
  using Entries = std::list<Entry>;

  struct Shard {
    mutable Mutex mutex;
    Entries probation GUARDED_BY(mutex);  // both: the most recently used first
    Entries in_use GUARDED_BY(mutex);
    std::unordered_multimap<uint64_t, Entries::iterator> index GUARDED_BY(mutex);
    size_t bytes GUARDED_BY(mutex) = 0;
    size_t in_use_bytes GUARDED_BY(mutex) = 0;
    size_t negative GUARDED_BY(mutex) = 0;
    CacheSettings settings GUARDED_BY(mutex);
  };

  Shard& shard_of(uint64_t hash) const { return shards_[hash >> 61]; }
  static Entry* find_entry(Shard& shard, uint64_t hash, const Query& query) REQUIRES(shard.mutex);
  static void touch(Shard& shard, Entry& entry) REQUIRES(shard.mutex);
  static bool wants_refresh(const CacheSettings& settings, Entry& entry, Steady now);
  static void remove(Shard& shard, Entries::iterator entry) REQUIRES(shard.mutex);
  static void shrink(Shard& shard) REQUIRES(shard.mutex);
  static Duration ttl_of(const CacheSettings& settings, const Answer& answer);
  static Entries::iterator iterator_of(Shard& shard, uint64_t hash, const Entry& entry)
      REQUIRES(shard.mutex);

  Clock& clock_;
  const uint64_t seed_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace proa::dns
