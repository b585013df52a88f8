#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "store/etcd/client/etcd_client.h"

namespace proa::store::etcd {

// Compacts etcd's history at an interval, by one of all servers that do: each writes the revision
// to compact next to a key that all of them share, on the condition that no other did so since, as
// upstream's API servers do. What is compacted was written an interval ago at least. Runs on the
// client's loop.
class Compactor {
 public:
  // `compacted`: called after each compaction, for what depends on it.
  Compactor(EtcdClient& client, Duration interval, std::function<void()> compacted)
      : client_(client), interval_(interval), compacted_(std::move(compacted)) {}

  void start();

 private:
  void wait();
  void take_turn();
  void answered(const Result<Bytes>& answer);
  void compact(int64_t revision);

  EtcdClient& client_;
  const Duration interval_;
  const std::function<void()> compacted_;
  // Loop thread only.
  int64_t version_ = 0;   // of the key, as this server knows it
  int64_t revision_ = 0;  // current an interval ago; zero: not known
};

}  // namespace proa::store::etcd
