#include "apiserver/bootstrap/server_leases.h"

#include <algorithm>
#include <memory>

#include "api/object/edit.h"
#include "apiserver/resources/allocate/network.h"
#include "base/log.h"
#include "base/threads/mutex.h"
#include "json/print.h"

namespace proa::apiserver {
namespace server_leases {

const Log kLog{"apiserver"};
constexpr Duration kPatience = std::chrono::seconds(1);

// In the form that upstream's servers give theirs.
std::string value_of(const IpAddress& address) {
  json::Document document({}, json::Value::object());
  const api::Edit object(document);
  object.set("kind", "Endpoints");
  object.set("apiVersion", "v1");
  const api::Edit subset = object.array("subsets").push_object();
  subset.array("addresses").push_object().set("ip", address.str());
  return json::print(document.root());
}

}  // namespace server_leases

std::string ServerLeases::key() const { return std::string(kPrefix) + own_.str(); }

Result<void> ServerLeases::renew() {
  store::Txn txn;
  txn.operations.push_back(
      store::Put{.key = key(), .value = Bytes(server_leases::value_of(own_)), .ttl = kLifetime});
  TRY(store_.commit(std::move(txn), store::Durability::kSynced));
  return {};
}

Result<std::vector<IpAddress>> ServerLeases::live() const {
  std::vector<IpAddress> addresses = {own_};
  const store::RangeResult found =
      TRY(store_.range({.keys = store::KeyRange::prefix(kPrefix), .revision = {}}));
  for (const store::EntryPtr& entry : found.entries) {
    const auto address = parse_ip(std::string_view(entry->key()).substr(kPrefix.size()));
    if (!address || *address == own_) continue;
    if (family_of(*address) == family_of(own_)) addresses.push_back(*address);
  }
  std::ranges::sort(addresses);
  return addresses;
}

void ServerLeases::release() {
  // Shared with the callback, which may be later than this.
  struct Outcome {
    Mutex mutex;
    CondVar changed;
    bool here GUARDED_BY(mutex) = false;
  };
  const auto outcome = std::make_shared<Outcome>();
  store::Txn txn;
  txn.operations.push_back(store::Delete{key()});
  store_.commit(std::move(txn), store::Durability::kSynced,
                [outcome](const Result<store::Committed>& released) {
                  if (!released)
                    server_leases::kLog.warn("this server's entry was not removed, it ends itself",
                                             {{"error", released.status()}});
                  MutexLock lock(outcome->mutex);
                  outcome->here = true;
                  outcome->changed.notify_all();
                });
  const Steady end = clock_.steady() + server_leases::kPatience;
  MutexLock lock(outcome->mutex);
  while (!outcome->here && clock_.steady() < end)
    clock_.wait_until(outcome->changed, outcome->mutex, end);
}

}  // namespace proa::apiserver
