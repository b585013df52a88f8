#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/framework/claim.h"
#include "controllers/framework/controller.h"
#include "controllers/framework/freshness.h"
#include "controllers/network/slices/slice_endpoint.h"
#include "controllers/network/slices/slice_facts.h"

namespace proa::controllers {

// By key; borrowed.
using TextMap = std::map<std::string_view, std::string_view>;

// An object's labels.
TextMap label_map(const api::Object& object);
// Puts them under that name of an object's metadata, in place of what is there.
void put_texts(api::Edit metadata, std::string_view name, const TextMap& texts);

// A slice that is not there yet: who owns it, and which addresses it can hold.
json::Document new_slice(const Owner& owner, std::string_view address_type);
// In place of what is there.
void put_endpoints(api::Edit slice, std::span<const SliceEndpoint* const> endpoints);

// What is to be done to the slices of a service.
struct SliceWrites {
  struct Update {
    api::ObjectPtr before;
    json::Document after;
  };
  std::vector<json::Document> create = {};
  std::vector<Update> update = {};
  std::vector<api::ObjectPtr> remove = {};
};

// The slices that one controller looks after, and writing to them.
class SliceWriter {
 public:
  // `manager`: as the slices' labels call the controller. `what`: its keys, for messages:
  // "Service". Everything in the context outlives it.
  SliceWriter(const ControllerContext& context, std::string_view manager, std::string_view what);

  // Puts the services into the queue whose slices change.
  void listen(client::WorkQueue& queue);
  // Those that are not on their way out, by name.
  std::vector<api::ObjectPtr> slices_of(const client::Key& service) const;
  // Whether the cache knows what was written for that service. If not: kNotYet.
  bool is_fresh(const client::Key& service) { return written_.is_fresh(service); }
  void forget(const client::Key& service) { written_.forget(service); }
  // Creates, then updates, then deletions; what follows a failure is not tried. Success also when
  // the namespace is on its way out.
  Result<void> write(const client::Key& service, const SliceWrites& writes);
  std::string_view manager() const { return manager_; }

 private:
  Result<void> create(const client::Key& service, const json::Document& slice);
  Result<void> update(const client::Key& service, const SliceWrites::Update& slice);
  Result<void> remove(const client::Key& service, const api::Object& slice);
  Result<void> outcome(const client::Key& service, const Result<api::ObjectPtr>& written);

  client::Client& client_;
  WorkerPool& pool_;
  const std::string manager_;
  const std::string what_;
  const api::Resource& resource_;
  client::Informer& informer_;
  Freshness written_;
};

}  // namespace proa::controllers
