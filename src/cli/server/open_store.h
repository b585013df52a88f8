#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/metrics/metrics.h"
#include "cli/command_line/command.h"
#include "cli/server/store_events.h"
#include "encryption/encryption_at_rest.h"
#include "store/etcd/options.h"
#include "store/store.h"

namespace proa::cli {

// What is counted of requests to etcd, under upstream's names. Thread-safe.
class EtcdMetrics {
 public:
  store::etcd::RequestObserver observer();
  std::string text() const { return metrics_.text(); }

 private:
  Metrics metrics_;
};

// The store of a server. All arguments outlive it.
struct StoreWanted {
  Clock& clock;
  Random& random;
  const std::string& data_dir;
  std::optional<store::EtcdOptions> etcd;  // nullopt: in the data directory
  StoreEvents& events;
  EtcdMetrics& metrics;
  const encryption::EncryptionAtRest& encryption;
};
Result<std::unique_ptr<store::Store>> open_store(StoreWanted wanted, Terminal& terminal);

}  // namespace proa::cli
