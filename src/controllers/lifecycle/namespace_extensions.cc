#include "controllers/lifecycle/namespace_extensions.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "controllers/framework/conditions.h"
#include "json/parse.h"

namespace proa::controllers {
namespace namespace_extensions {

using api::View;

bool has_verb(View resource, std::string_view wanted) {
  for (const View verb : resource["verbs"].items()) {
    if (verb.text() == wanted) return true;
  }
  return false;
}

// Names become parts of a path; extension servers may say anything.
bool is_plain(std::string_view name) {
  return !name.empty() && name.find_first_of("/?#% ") == std::string_view::npos;
}

}  // namespace namespace_extensions

using api::View;

NamespaceExtensions::NamespaceExtensions(const ControllerContext& context)
    : api_services_(context.informers.of("apiregistration.k8s.io", "apiservices")),
      call_(context.options.call_extension) {}

// The preferred versions of each group first.
std::vector<NamespaceExtensions::Version> NamespaceExtensions::versions() const {
  std::vector<Version> found;
  for (const api::ObjectPtr& object : api_services_.cache().list()) {
    const Result<json::Document> document = object->document();
    if (!document) continue;
    const View api_service(document->root());
    const View spec = api_service["spec"];
    if (!spec["service"]) continue;
    found.push_back({.api_service = std::string(object->metadata().name),
                     .group = std::string(spec["group"].text()),
                     .path = "/apis/" + std::string(spec["group"].text()) + "/" +
                             std::string(spec["version"].text()),
                     .priority = spec["versionPriority"].integer(),
                     .available = condition_holds(api_service["status"], "Available")});
  }
  std::ranges::sort(found, [](const Version& a, const Version& b) {
    return std::tie(a.group, b.priority, a.path) < std::tie(b.group, a.priority, b.path);
  });
  return found;
}

NamespaceExtensions::Document NamespaceExtensions::ask(const Version& version, std::string method,
                                                       std::string path) const {
  const std::string body = TRY(call_(
      {.api_service = version.api_service, .method = std::move(method), .path = std::move(path)}));
  if (body.empty()) return json::Document();
  return json::parse(body);
}

Result<std::vector<NamespaceExtensions::Resource>> NamespaceExtensions::discover(
    const Version& version) const {
  using namespace namespace_extensions;
  const json::Document list = TRY(ask(version, "GET", version.path));
  std::vector<Resource> found;
  for (const View resource : View(list.root())["resources"].items()) {
    const std::string_view name = resource["name"].text();
    const bool counts = resource["namespaced"].flag() && is_plain(name);
    if (!counts || !has_verb(resource, "delete") || !has_verb(resource, "list")) continue;
    found.push_back(
        {.name = std::string(name), .removes_collections = has_verb(resource, "deletecollection")});
  }
  return found;
}

Result<void> NamespaceExtensions::remove(const Version& version, const Resource& resource,
                                         const std::string& place, View items) const {
  const std::string choices = "?propagationPolicy=Background";
  if (resource.removes_collections) {
    TRY(ask(version, "DELETE", place + choices));
    return {};
  }
  for (const View item : items.items()) {
    const std::string_view name = item["metadata"]["name"].text();
    if (!namespace_extensions::is_plain(name)) continue;
    const Document removed = ask(version, "DELETE", place + "/" + std::string(name) + choices);
    if (!removed && !removed.is(Reason::kNotFound)) return removed.status();
  }
  return {};
}

void NamespaceExtensions::remove_all(const Version& version, const Resource& resource,
                                     const std::string& name_space,
                                     NamespaceRemains& remains) const {
  const std::string place = version.path + "/namespaces/" + name_space + "/" + resource.name;
  const Document before = ask(version, "GET", place);
  if (!before) return remains.add_failure(before.status().message());
  const View items = View(before->root())["items"];
  if (items.empty()) return;
  const Result<void> removed = remove(version, resource, place, items);
  const Document after = ask(version, "GET", place);
  if (!removed) return remains.add_failure(removed.status().message());
  if (!after) return remains.add_failure(after.status().message());
  for (const View item : View(after->root())["items"].items()) {
    remains.add_object(resource.name, version.group, item["metadata"]);
  }
}

void NamespaceExtensions::empty(const std::string& name_space, NamespaceRemains& remains) const {
  if (!call_) return;
  std::set<std::pair<std::string, std::string>> seen;  // by the preferred version of its group
  for (const Version& version : versions()) {
    const auto resources =
        version.available ? discover(version)
                          : Result<std::vector<Resource>>(Status(Reason::kServiceUnavailable, ""));
    if (resources.is(Reason::kNotFound)) continue;  // it is not, or no longer, another server's
    if (!resources) {
      const std::string group_version = version.path.substr(std::string_view("/apis/").size());
      // As upstream's StaleGroupVersionError, whatever the cause: that is in the APIService.
      remains.add_unknown(group_version, "stale GroupVersion discovery: " + group_version);
      continue;
    }
    for (const Resource& resource : *resources) {
      if (!seen.emplace(version.group, resource.name).second) continue;
      remove_all(version, resource, name_space, remains);
    }
  }
}

}  // namespace proa::controllers
