#include "cli/server/open_store.h"

#include <fmt/format.h>

#include <array>

#include "cli/command_line/output.h"
#include "cli/command_line/step.h"
#include "store/etcd/etcd_store.h"
#include "store/rocks/rocks_store.h"

namespace proa::cli {
namespace open_store_unit {

// Upstream's.
constexpr std::array kBounds{0.005, 0.025, 0.05, 0.1, 0.2, 0.4,  0.6,  0.8,  1.0,  1.25, 1.5, 2.0,
                             3.0,   4.0,   5.0,  6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0};
constexpr MetricFamily kDuration{"etcd_request_duration_seconds",
                                 "How long requests to etcd took, by operation.",
                                 MetricKind::kHistogram,
                                 {"operation", "group", "resource"},
                                 kBounds};
constexpr MetricFamily kRequests{"etcd_requests_total",
                                 "Requests to etcd, by operation.",
                                 MetricKind::kCounter,
                                 {"operation", "group", "resource"}};
constexpr MetricFamily kErrors{"etcd_request_errors_total",
                               "Requests to etcd that failed, by operation.",
                               MetricKind::kCounter,
                               {"operation", "group", "resource"}};

std::string endpoints_text(const store::EtcdOptions& options) {
  std::string text;
  for (const http::Origin& origin : options.endpoints)
    text.append(text.empty() ? "etcd " : ",").append(origin.authority());
  return text;
}

Result<std::unique_ptr<store::Store>> open(StoreWanted& wanted) {
  const auto changed = [&events = wanted.events](const store::StoreHealth& health) {
    events.changed(health);
  };
  if (wanted.etcd) {
    wanted.etcd->transformer = wanted.encryption.transformer();
    wanted.etcd->engine.health_changed = changed;
    wanted.etcd->observe = wanted.metrics.observer();
    auto store = TRY(store::open_etcd_store(wanted.clock, wanted.random, *wanted.etcd));
    return std::unique_ptr<store::Store>(std::move(store));
  }
  store::RocksOptions rocks;
  rocks.transformer = wanted.encryption.transformer();
  rocks.engine.health_changed = changed;
  return store::open_rocks_store(wanted.data_dir + "/store", wanted.clock, wanted.random, rocks);
}

}  // namespace open_store_unit

store::etcd::RequestObserver EtcdMetrics::observer() {
  return [this](const store::etcd::RequestOutcome& outcome) {
    using namespace open_store_unit;
    metrics_.counter(kRequests, {outcome.method, "", ""}).add();
    if (outcome.failed) metrics_.counter(kErrors, {outcome.method, "", ""}).add();
    metrics_.histogram(kDuration, {outcome.method, "", ""})
        .observe(std::chrono::duration<double>(outcome.took).count());
  };
}

Result<std::unique_ptr<store::Store>> open_store(StoreWanted wanted, Terminal& terminal) {
  const Steady begin = wanted.clock.steady();
  auto store = TRY(open_store_unit::open(wanted));
  const store::StoreStats stats = store->stats();
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(wanted.clock.steady() - begin);
  print_step(terminal, "store",
             fmt::format("{}revision {}, {}, opened in {} ms",
                         wanted.etcd ? open_store_unit::endpoints_text(*wanted.etcd) + ", " : "",
                         stats.revision.value, counted(stats.keys, "key"), took.count()));
  return store;
}

}  // namespace proa::cli
