#include "client/remote/request_target.h"

#include "http/wire/url.h"

namespace proa::client {
void RequestTarget::add(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  text_ += has_query_ ? '&' : '?';
  has_query_ = true;
  text_.append(name).append("=").append(http::percent_encode(value));
}

std::string collection_path(const Place& place) {
  const api::Resource& resource = *place.resource;
  std::string path =
      resource.group.empty() ? "/api/" : "/apis/" + std::string(resource.group) + "/";
  path.append(resource.version);
  if (resource.namespaced && !place.name_space.empty()) {
    path.append("/namespaces/").append(http::percent_encode(place.name_space));
  }
  path.append("/").append(resource.name);
  return path;
}

std::string object_path(const Place& place) {
  std::string path = collection_path(place);
  path.append("/").append(http::percent_encode(place.name));
  if (!place.subresource.empty()) path.append("/").append(place.subresource);
  return path;
}

void add_list_query(RequestTarget& target, const ListQuery& query) {
  target.add("labelSelector", query.label_selector);
  target.add("fieldSelector", query.field_selector);
  target.add("resourceVersion", query.resource_version);
  if (query.limit > 0) target.add("limit", std::to_string(query.limit));
  target.add("continue", query.continue_token);
}

void add_watch_query(RequestTarget& target, const Place& place, const WatchQuery& query) {
  std::string fields = query.field_selector;
  if (!place.name.empty()) {
    if (!fields.empty()) fields += ',';
    fields += "metadata.name=" + place.name;
  }
  target.add("watch", "true");
  target.add("allowWatchBookmarks", "true");
  target.add("labelSelector", query.label_selector);
  target.add("fieldSelector", fields);
  target.add("resourceVersion", query.resource_version);
  if (query.send_initial_events) {
    target.add("sendInitialEvents", "true");
    target.add("resourceVersionMatch", "NotOlderThan");
  }
}

void add_write_choices(RequestTarget& target, const WriteChoices& choices) {
  if (choices.dry_run) target.add("dryRun", "All");
  target.add("fieldManager", choices.field_manager);
}

}  // namespace proa::client
