#include "controllers/framework/writes.h"

#include "api/object/view.h"
#include "json/parse.h"
#include "json/text/scan.h"

namespace proa::controllers {

client::Place place_of(const api::Resource& resource, const client::Key& key,
                       std::string_view subresource) {
  return {.resource = &resource,
          .name_space = key.name_space,
          .name = key.name,
          .subresource = std::string(subresource)};
}

Result<bool> status_changed(const api::Object& before, const json::Document& after) {
  // The rest of the object need not be parsed.
  const std::string_view text = json::Scan::find(before.json(), "status");
  json::Document was;
  if (!text.empty()) was = TRY(json::parse(text));
  return !(api::View(was.root()) == api::View(after.root())["status"]);
}

Result<api::ObjectPtr> write_status(const client::BoundedClient& client,
                                    const api::Resource& resource, const api::ObjectPtr& before,
                                    json::Document after) {
  const bool changed = TRY(status_changed(*before, after));
  if (!changed) return before;
  return client.update(place_of(resource, client::Key::of(*before), "status"), std::move(after),
                       {});
}

void put_count(api::Edit status, std::string_view name, int64_t count) {
  if (status[name].integer() == count) return;
  if (count == 0) {
    status.remove(name);
  } else {
    status.set(name, count);
  }
}

Result<void> unless_gone(const Result<void>& outcome) {
  if (outcome.is(Reason::kNotFound)) return {};
  return outcome;
}

Result<void> unless_gone(const Result<api::ObjectPtr>& outcome) {
  if (outcome || outcome.is(Reason::kNotFound)) return {};
  return outcome.status();
}

bool is_namespace_terminating(const Status& status) {
  for (const StatusCause& cause : status.details().causes) {
    if (cause.reason == "NamespaceTerminating") return true;
  }
  return false;
}

}  // namespace proa::controllers
