#include "controllers/network/slices/slice_writer.h"

#include <fmt/format.h>

#include "controllers/framework/fan_out.h"
#include "controllers/framework/writes.h"
#include "json/print.h"

namespace proa::controllers {
namespace slice_writer {

using client::Key;

// Shared by both slice controllers; an index is added once.
constexpr const char* kByService = "network-service";

std::vector<std::string> service_label(const api::Object& slice) {
  const std::string_view* service = slice.metadata().label(kServiceNameLabel);
  if (service == nullptr || service->empty()) return {};
  return {fmt::format("{}/{}", slice.metadata().name_space, *service)};
}

}  // namespace slice_writer

TextMap label_map(const api::Object& object) {
  return {object.metadata().labels.begin(), object.metadata().labels.end()};
}

void put_texts(api::Edit metadata, std::string_view name, const TextMap& texts) {
  metadata.remove(name);
  if (texts.empty()) return;
  const api::Edit map = metadata.object(name);
  for (const auto& [key, text] : texts) map.set(key, text);
}

json::Document new_slice(const Owner& owner, std::string_view address_type) {
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit slice(document);
  const api::Edit metadata = slice.object("metadata");
  metadata.set("generateName", fmt::format("{}-", owner.object.metadata().name));
  put_owner_reference(metadata, owner);
  slice.set("addressType", address_type);
  return document;
}

void put_endpoints(api::Edit slice, std::span<const SliceEndpoint* const> endpoints) {
  slice.remove("endpoints");
  const api::Edit list = slice.array("endpoints");
  for (const SliceEndpoint* endpoint : endpoints) endpoint->write(list.push_object());
}

SliceWriter::SliceWriter(const ControllerContext& context, std::string_view manager,
                         std::string_view what)
    : client_(context.client),
      pool_(context.pool),
      manager_(manager),
      what_(what),
      resource_(*context.schema.find_resource("discovery.k8s.io", "v1", "endpointslices")),
      informer_(context.informers.of("discovery.k8s.io", "endpointslices")),
      written_(informer_) {
  informer_.add_index(slice_writer::kByService, slice_writer::service_label);
}

void SliceWriter::listen(client::WorkQueue& queue) {
  informer_.add_handler([this, &queue](const client::Change& change) {
    // The label may have been changed to another service.
    for (const api::ObjectPtr& slice : {change.before, change.after}) {
      if (slice == nullptr) continue;
      const std::string_view service = service_of_slice(*slice, manager_);
      if (!service.empty()) queue.add({change.key.name_space, std::string(service)});
    }
  });
}

std::vector<api::ObjectPtr> SliceWriter::slices_of(const client::Key& service) const {
  std::vector<api::ObjectPtr> slices =
      informer_.cache().find(slice_writer::kByService, service.str());
  std::erase_if(slices, [&](const api::ObjectPtr& slice) {
    return slice->metadata().being_deleted || service_of_slice(*slice, manager_).empty();
  });
  return slices;
}

Result<void> SliceWriter::write(const client::Key& service, SliceWrites writes) {
  const auto all = [&](size_t count, const std::function<Result<void>(size_t)>& write) {
    return fan_out(pool_, count, write).outcome;
  };
  const Result<void> created = all(
      writes.create.size(), [&](size_t i) { return create(service, std::move(writes.create[i])); });
  if (!created && is_namespace_terminating(created.status())) return {};
  TRY(created);
  TRY(all(writes.update.size(),
          [&](size_t i) { return update(service, std::move(writes.update[i])); }));
  return all(writes.remove.size(), [&](size_t i) { return remove(service, *writes.remove[i]); });
}

Result<void> SliceWriter::outcome(const client::Key& service,
                                  const Result<api::ObjectPtr>& written) {
  if (written) {
    written_.wrote(service, **written);
    return {};
  }
  written_.failed(service, written.status());
  return written.status();
}

Result<void> SliceWriter::create(const client::Key& service, json::Document slice) {
  const Result<void> created = outcome(
      service, client_.create(place_of(resource_, {service.name_space, ""}), std::move(slice), {}));
  if (created) return {};
  return created.status().in(
      fmt::format("failed to create EndpointSlice for {} {}", what_, service.str()));
}

Result<void> SliceWriter::update(const client::Key& service, SliceWrites::Update slice) {
  const client::Key key = client::Key::of(*slice.before);
  const Result<void> updated =
      outcome(service, client_.update(place_of(resource_, key), std::move(slice.after), {}));
  if (updated) return {};
  return updated.status().in(
      fmt::format("failed to update {} EndpointSlice for {} {}", key.name, what_, service.str()));
}

Result<void> SliceWriter::remove(const client::Key& service, const api::Object& slice) {
  const client::Key key = client::Key::of(slice);
  const Result<void> removed = unless_gone(
      client_.remove(place_of(resource_, key), {.uid = std::string(slice.metadata().uid)}));
  if (removed) {
    written_.removed(service, slice);
    return {};
  }
  return removed.status().in(
      fmt::format("failed to delete {} EndpointSlice for {} {}", key.name, what_, service.str()));
}

}  // namespace proa::controllers
