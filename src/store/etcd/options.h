#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/client/connector.h"
#include "store/engine/engine.h"
#include "store/etcd/client/etcd_client.h"
#include "store/value_transformer.h"

namespace proa::store {

struct EtcdOptions {
  // Members of one cluster; at least one.
  std::vector<http::Origin> endpoints;
  http::ClientTls tls = {};
  // How the store's keys begin, and what stands in etcd instead. Clusters with different prefixes
  // can share an etcd.
  std::string root = "/registry";
  std::string prefix = "/registry";
  // etcd's --max-txn-ops.
  size_t max_operations = 128;
  // How long one request may take.
  Duration request_timeout = std::chrono::seconds(10);
  // How long opening the store waits for etcd.
  Duration start_timeout = std::chrono::seconds(30);
  // How often etcd's history is compacted, by one of all servers that do; zero: not by this one.
  Duration compaction_interval = std::chrono::minutes(5);
  // Values with a time to live share a lease if their times differ by less than this part of it.
  int lease_share_percent = 5;
  // Trusts what etcd reports of its progress, whatever its version: for tests.
  bool trusts_progress = false;
  // Revokes leases when they have expired by the store's clock: for tests, whose clock is not
  // etcd's.
  bool revokes_leases = false;
  // The history window, limits, health_changed and own_thread: as for other stores.
  EngineOptions engine = {};
  // The form of values in etcd; null: as they are.
  std::shared_ptr<const ValueTransformer> transformer = nullptr;
  // Called after each request, on a thread of the store; must not block. Null: nobody counts.
  etcd::RequestObserver observe = nullptr;
};

}  // namespace proa::store
