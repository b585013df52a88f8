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

// By key; not owned.
using TextMap = std::map<std::string_view, std::string_view>;

// An object's labels.
TextMap label_map(const api::Object& object);
// Replaces the map of that name in an object's metadata.
void put_texts(api::Edit metadata, std::string_view name, const TextMap& texts);

// A new slice: its owner and address family.
json::Document new_slice(const Owner& owner, std::string_view address_type);
// Replaces the existing value.
void put_endpoints(api::Edit slice, std::span<const SliceEndpoint* const> endpoints);

// The writes for the slices of a service.
struct SliceWrites {
  struct Update {
    api::ObjectPtr before;
    json::Document after;
  };
  std::vector<json::Document> create = {};
  std::vector<Update> update = {};
  std::vector<api::ObjectPtr> remove = {};
};

// Reads and writes the slices that one controller manages.
class SliceWriter {
 public:
  // `manager`: the managed-by label. `what`: the kind of its keys for messages: "Service".
  // Everything in the context outlives it.
  SliceWriter(const ControllerContext& context, std::string_view manager, std::string_view what);

  // Queues the services whose slices change.
  void listen(client::WorkQueue& queue);
  // Slices that are not being deleted, by name.
  std::vector<api::ObjectPtr> slices_of(const client::Key& service) const;
  // Whether the cache contains all writes for that service; if not, return kNotYet.
  bool is_fresh(const client::Key& service) { return written_.is_fresh(service); }
  void forget(const client::Key& service) { written_.forget(service); }
  // Creates, updates, then deletes; stops at the first failure. Success also if the namespace is
  // terminating.
  Result<void> write(const client::Key& service, SliceWrites writes);
  std::string_view manager() const { return manager_; }

 private:
  Result<void> create(const client::Key& service, json::Document slice);
  Result<void> update(const client::Key& service, SliceWrites::Update slice);
  Result<void> remove(const client::Key& service, const api::Object& slice);
  Result<void> outcome(const client::Key& service, const Result<api::ObjectPtr>& written);

  const client::BoundedClient client_;
  WorkerPool& pool_;
  const std::string manager_;
  const std::string what_;
  const api::Resource& resource_;
  client::Informer& informer_;
  Freshness written_;
};

}  // namespace proa::controllers
