#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "apiserver/access/authn/authenticator.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/threads/mutex.h"
#include "crypto/digest.h"

namespace proa::apiserver {

// A cached identity and the authenticator that established it.
struct TokenAnswer {
  TokenIdentity identity;
  const TokenAuthenticator* by = nullptr;
};
using TokenAnswerPtr = std::shared_ptr<const TokenAnswer>;

// Caches token identities for ten seconds, so that signatures are not verified and webhooks not
// called on every request. Stores no tokens, only hashes under a random key. Thread-safe.
class TokenCache {
 public:
  // As upstream: twice what 5,000 nodes and 10,000 namespaces need.
  static constexpr size_t kCapacity = 32 * 1024;

  struct Key {
    uint64_t high = 0;
    uint64_t low = 0;
    bool operator==(const Key&) const = default;
  };

  // REQUIRES: `clock` outlives it.
  TokenCache(Random& random, const Clock& clock, size_t capacity = kCapacity);
  TokenCache(const TokenCache&) = delete;
  TokenCache& operator=(const TokenCache&) = delete;

  // Identifies a token together with the requested audiences.
  Key key_of(std::string_view token, std::span<const std::string> audiences) const;
  // Null: not cached.
  TokenAnswerPtr find(const Key& key) const;
  struct Use {
    TokenAnswerPtr answer;  // null: not cached
    bool prepared = false;  // it is the first use of what prepare() cached
  };
  Use use(const Key& key);
  void remember(const Key& key, TokenAnswerPtr answer) { insert(key, std::move(answer), false); }
  // The same for the request that is going to use it: that one has missed the cache.
  void prepare(const Key& key, TokenAnswerPtr answer) { insert(key, std::move(answer), true); }
  void forget(const Key& key);

 private:
  static constexpr size_t kShards = 32;
  struct Hash {
    size_t operator()(const Key& key) const { return key.high; }
  };
  struct Slot {
    TokenAnswerPtr answer;
    Steady until;
    bool prepared = false;
  };
  struct alignas(64) Shard {
    mutable Mutex mutex;
    std::unordered_map<Key, Slot, Hash> slots GUARDED_BY(mutex);
    // In expiry order, which is insertion order as all TTLs are equal. May contain removed keys.
    std::deque<std::pair<Key, Steady>> ends GUARDED_BY(mutex);
  };
  Shard& shard_of(const Key& key) { return shards_[key.low % kShards]; }
  const Shard& shard_of(const Key& key) const { return shards_[key.low % kShards]; }
  void insert(const Key& key, TokenAnswerPtr answer, bool prepared);
  void drop_oldest(Shard& shard, Steady now) REQUIRES(shard.mutex);

  const Clock& clock_;
  const size_t capacity_;             // of a shard
  const crypto::SipHash keyed_hash_;  // copied for each key
  std::array<Shard, kShards> shards_;
};

}  // namespace proa::apiserver
