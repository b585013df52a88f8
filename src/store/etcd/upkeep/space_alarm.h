#pragma once

#include <atomic>

#include "store/etcd/client/etcd_client.h"
#include "store/etcd/health.h"

namespace proa::store::etcd {

// etcd's alarm that it has no space left: while it is raised, etcd accepts deletes only, and is
// asked whether an operator has disarmed it. Thread-safe.
class SpaceAlarm {
 public:
  SpaceAlarm(EtcdClient& client, Health& health) : client_(client), health_(health) {}

  // Whether it is raised now.
  void check();
  bool is_raised() const { return health_.is_full(); }
  // A write was refused for it.
  void raised();

 private:
  EtcdClient& client_;
  Health& health_;
  std::atomic<bool> asking_ = false;
};

}  // namespace proa::store::etcd
