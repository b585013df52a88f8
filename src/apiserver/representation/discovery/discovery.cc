#include "apiserver/representation/discovery/discovery.h"

#include <fmt/format.h>

#include "api/codec/protobuf/envelope.h"
#include "api/object/edit.h"
#include "apiserver/representation/discovery/groups.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "json/print.h"

namespace proa::apiserver {
namespace discovery {

using api::Edit;
using api::Resource;
using api::Subresource;

constexpr std::string_view kAggregated = "apidiscovery.k8s.io/v2";

std::string sha512_of(std::string_view text) { return to_upper_hex(crypto::sha512(text).view()); }

// A document being written; fields are set in the order of its type.
class Writer {
 public:
  Writer(const api::Schema& schema, std::string_view group_version, std::string_view kind)
      : type_(schema.find_kind(group_version, kind)) {
    CHECK(type_ != nullptr);
    document_.root() = json::Value::object();
    root().set("kind", kind);
  }

  Edit root() { return Edit(document_); }

  Discovery::Document finish() {
    std::string text = json::print(document_.root()) + "\n";
    auto protobuf = api::to_enveloped(document_.root(), *type_);
    CHECK(protobuf.ok());
    return {std::move(text), std::move(protobuf).value(), {}};
  }

 private:
  const api::Type* type_;
  json::Document document_;
};

void set_texts(Edit object, std::string_view name, std::span<const std::string_view> texts) {
  if (texts.empty()) return;
  const Edit array = object.array(name);
  for (const std::string_view text : texts) array.push(json::Value::string(array.arena(), text));
}

void set_verbs(Edit object, const api::Verbs& verbs) {
  const Edit array = object.array("verbs");
  for (uint8_t i = 0; i <= static_cast<uint8_t>(api::Verb::kWatch); ++i) {
    const auto verb = static_cast<api::Verb>(i);
    if (verbs.has(verb)) array.push(json::Value::string(array.arena(), verb_name(verb)));
  }
}

struct GroupAndVersion {
  std::string_view group;
  std::string_view version;
};

GroupAndVersion split_group_version(std::string_view text) {
  const auto halves = split_once(text, '/');
  return halves ? GroupAndVersion{halves->before, halves->after} : GroupAndVersion{"", text};
}

// As upstream, names group and version of a kind only if they differ from the resource's.
GroupAndVersion foreign_group(const Resource& resource, const api::Type& type) {
  if (type.group_version == resource.group_version()) return {};
  return split_group_version(type.group_version);
}

// While its definition is being deleted, a custom resource is not offered for changes, although
// updates that let go of objects are taken.
api::Verbs shown_verbs(const Resource& resource) {
  using api::Verb;
  if (!resource.ending) return resource.verbs;
  return {Verb::kDelete, Verb::kDeleteCollection, Verb::kGet, Verb::kList, Verb::kWatch};
}

void add_resource(Edit list, const Resource& resource) {
  const Edit entry = list.push_object();
  entry.set("name", resource.name);
  entry.set("singularName", resource.singular);
  entry.set("namespaced", resource.namespaced);
  entry.set("kind", resource.type->name);
  set_verbs(entry, shown_verbs(resource));
  set_texts(entry, "shortNames", resource.short_names);
  set_texts(entry, "categories", resource.categories);
  if (!resource.storage_hash.empty()) entry.set("storageVersionHash", resource.storage_hash);
}

void add_subresource(Edit list, const Resource& resource, const Subresource& part) {
  const Edit entry = list.push_object();
  entry.set("name", fmt::format("{}/{}", resource.name, part.name));
  entry.set("singularName", "");
  entry.set("namespaced", resource.namespaced);
  const GroupAndVersion foreign = foreign_group(resource, *part.type);
  if (!foreign.group.empty()) entry.set("group", foreign.group);
  if (!foreign.version.empty()) entry.set("version", foreign.version);
  entry.set("kind", part.type->name);
  set_verbs(entry, part.verbs);
}

// The core group has no apiVersion here: upstream strips it for legacy clients.
Discovery::Document resource_list(const api::Schema& schema, const ServedVersion& version) {
  Writer writer(schema, "v1", "APIResourceList");
  if (version.group_version != version.name) writer.root().set("apiVersion", "v1");
  writer.root().set("groupVersion", version.group_version);
  const Edit list = writer.root().array("resources");
  for (const Resource* resource : version.resources) {
    add_resource(list, *resource);
    for (const Subresource& part : resource->subresources) add_subresource(list, *resource, part);
  }
  return writer.finish();
}

void set_version(Edit entry, const ServedVersion& version) {
  entry.set("groupVersion", version.group_version);
  entry.set("version", version.name);
}

void set_group(Edit entry, const ServedGroup& group) {
  entry.set("name", group.name);
  const Edit versions = entry.array("versions");
  for (const ServedVersion& version : group.versions) set_version(versions.push_object(), version);
  set_version(entry.object("preferredVersion"), group.versions.front());
}

Discovery::Document group_document(const api::Schema& schema, const ServedGroup& group) {
  Writer writer(schema, "v1", "APIGroup");
  writer.root().set("apiVersion", "v1");
  set_group(writer.root(), group);
  return writer.finish();
}

Discovery::Document group_list(const api::Schema& schema, std::span<const ServedGroup> groups) {
  Writer writer(schema, "v1", "APIGroupList");
  writer.root().set("apiVersion", "v1");
  const Edit list = writer.root().array("groups");
  for (const ServedGroup& group : groups) {
    if (!group.name.empty()) set_group(list.push_object(), group);
  }
  return writer.finish();
}

Discovery::Document version_list(const api::Schema& schema, std::span<const ServedGroup> groups,
                                 std::string_view server_address) {
  Writer writer(schema, "v1", "APIVersions");
  const Edit versions = writer.root().array("versions");
  for (const ServedGroup& group : groups) {
    if (!group.name.empty()) continue;
    for (const ServedVersion& version : group.versions)
      versions.push(json::Value::string(versions.arena(), version.name));
  }
  const Edit address = writer.root().array("serverAddressByClientCIDRs").push_object();
  address.set("clientCIDR", "0.0.0.0/0");
  address.set("serverAddress", server_address);
  return writer.finish();
}

// For custom resources upstream always names group and version.
void set_response_kind(Edit entry, const Resource& resource, const api::Type& type) {
  const Edit kind = entry.object("responseKind");
  const GroupAndVersion named =
      resource.custom ? split_group_version(type.group_version) : foreign_group(resource, type);
  kind.set("group", named.group);
  kind.set("version", named.version);
  kind.set("kind", type.name);
}

void add_aggregated_resource(Edit list, const Resource& resource) {
  const Edit entry = list.push_object();
  entry.set("resource", resource.name);
  set_response_kind(entry, resource, *resource.type);
  entry.set("scope", resource.namespaced ? "Namespaced" : "Cluster");
  entry.set("singularResource", resource.singular);
  set_verbs(entry, shown_verbs(resource));
  set_texts(entry, "shortNames", resource.short_names);
  set_texts(entry, "categories", resource.categories);
  if (resource.subresources.empty()) return;
  const Edit parts = entry.array("subresources");
  for (const Subresource& part : resource.subresources) {
    const Edit one = parts.push_object();
    one.set("subresource", part.name);
    set_response_kind(one, resource, *part.type);
    set_verbs(one, part.verbs);
  }
}

void add_remote(Edit version, const RemoteVersion& remote) {
  if (remote.resources != nullptr && !api::View(remote.resources->root()).empty()) {
    version.copy("resources", remote.resources->root());
  }
  version.set("freshness", remote.stale ? "Stale" : "Current");
}

void add_aggregated_group(Edit list, const ServedGroup& group) {
  const Edit entry = list.push_object();
  const Edit metadata = entry.object("metadata");
  if (!group.name.empty()) metadata.set("name", group.name);
  const Edit versions = entry.array("versions");
  for (const ServedVersion& version : group.versions) {
    const Edit one = versions.push_object();
    one.set("version", version.name);
    if (version.remote != nullptr) {
      add_remote(one, *version.remote);
      continue;
    }
    const Edit resources = one.array("resources");
    for (const Resource* resource : version.resources)
      add_aggregated_resource(resources, *resource);
    one.set("freshness", "Current");
  }
}

Discovery::Document aggregated(const api::Schema& schema, std::span<const ServedGroup> groups,
                               bool core) {
  Writer writer(schema, kAggregated, "APIGroupDiscoveryList");
  writer.root().set("apiVersion", kAggregated);
  writer.root().object("metadata");
  const Edit list = writer.root().array("items");
  for (const ServedGroup& group : groups) {
    if (group.name.empty() == core) add_aggregated_group(list, group);
  }
  Discovery::Document document = writer.finish();
  document.etag = fmt::format("\"{}\"", sha512_of(document.json.view()));
  return document;
}

}  // namespace discovery

Discovery::Discovery(const api::Schema& schema, std::span<const api::Resource* const> resources,
                     std::string_view server_address, std::span<const RemoteVersion> remotes) {
  const std::vector<ServedGroup> groups = sort_into_groups(resources, remotes);
  api_versions_ = discovery::version_list(schema, groups, server_address);
  groups_ = discovery::group_list(schema, groups);
  aggregated_core_ = discovery::aggregated(schema, groups, true);
  aggregated_groups_ = discovery::aggregated(schema, groups, false);
  for (const ServedGroup& group : groups) {
    if (!group.name.empty())
      by_group_.emplace(group.name, discovery::group_document(schema, group));
    for (const ServedVersion& version : group.versions) {
      if (version.remote != nullptr) continue;
      by_group_version_.emplace(version.group_version, discovery::resource_list(schema, version));
    }
  }
}

const Discovery::Document* Discovery::find_group(std::string_view group) const {
  const auto found = by_group_.find(group);
  return found == by_group_.end() ? nullptr : &found->second;
}

const Discovery::Document* Discovery::find_resources(std::string_view group_version) const {
  const auto found = by_group_version_.find(group_version);
  return found == by_group_version_.end() ? nullptr : &found->second;
}

bool is_unchanged(const Discovery::Document& document, std::string_view if_none_match) {
  return !document.etag.empty() && document.etag == if_none_match;
}

}  // namespace proa::apiserver
