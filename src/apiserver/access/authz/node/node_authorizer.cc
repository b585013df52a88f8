#include "apiserver/access/authz/node/node_authorizer.h"

#include "apiserver/access/authz/node/decisions.h"
#include "apiserver/access/authz/node/node_user.h"
#include "base/strings.h"
#include "json/text/scan.h"
#include "kinds/core/volumes/local_path.h"

namespace proa::apiserver {
namespace node_authorizer {

constexpr std::string_view kNoList = "node authorizer does not support user rule resolution";

// Most pod updates change only the status. These fields detect other changes without parsing the
// whole object, as they come first in it.
struct Version {
  std::string_view uid;
  int64_t generation = 0;
};

Version version_of(std::string_view json) {
  Version version;
  json::Scan scan(json::Scan::find(json, "metadata"));
  while (const auto member = scan.next_member()) {
    if (member->key == "uid") version.uid = json::Scan::unquoted(member->value);
    if (member->key == "generation") version.generation = parse_int(member->value).value_or(0);
  }
  return version;
}

// Claims generated for a pod appear in its status without a new generation.
bool may_name_claims(std::string_view json) {
  return json.find("\"resourceClaimStatuses\"") != std::string_view::npos ||
         json.find("\"extendedResourceClaimStatus\"") != std::string_view::npos;
}

// The label of the node that has the volume as a directory; empty if it is no such volume.
std::string_view local_path_node(const api::Object* volume) {
  const std::string_view* label =
      volume == nullptr ? nullptr : volume->metadata().label(kinds::kLocalPathNode);
  return label == nullptr ? std::string_view() : *label;
}

}  // namespace node_authorizer

NodeAuthorizer::Prefixes::Prefixes(const ObjectReader& reader)
    : pods(reader.prefix("", "pods")),
      volumes(reader.prefix("", "persistentvolumes")),
      attachments(reader.prefix("storage.k8s.io", "volumeattachments")),
      slices(reader.prefix("resource.k8s.io", "resourceslices")) {}

NodeAuthorizer::NodeAuthorizer(store::Store& store, const api::Schema& schema)
    : prefixes_(ObjectReader(store, schema)),
      follower_(
          store, {prefixes_.pods, prefixes_.volumes, prefixes_.attachments, prefixes_.slices},
          [this](std::string_view key, const api::ObjectPtr& object) { changed(key, object); }) {}

void NodeAuthorizer::prepare() {
  follower_.read([] {});
}

Verdict NodeAuthorizer::authorize(const Attributes& attributes) {
  if (attributes.user == nullptr) return {};
  const auto node = node_of(*attributes.user);
  if (!node) return {};
  if (node->empty()) {
    return {Decision::kNoOpinion, "unknown node for user \"" + attributes.user->name + "\""};
  }
  return decide_for_node(
      {attributes, *node, [&](Relative kind) {
         // Local volumes are placed by a label, which is not always the name.
         const std::string place =
             kind == Relative::kLocalVolume ? kinds::local_path_label(*node) : std::string(*node);
         return follower_.read([&] {
           return graph_.is_related(place, kind, attributes.name_space, attributes.name);
         });
       }});
}

void NodeAuthorizer::list_rules(const User& user, std::string_view, RuleList& rules) {
  if (!node_of(user)) return;
  rules.incomplete = true;
  if (!rules.error.empty()) rules.error.append(", ");
  rules.error.append(node_authorizer::kNoList);
}

void NodeAuthorizer::changed(std::string_view key, const api::ObjectPtr& object) {
  if (key.starts_with(prefixes_.pods)) {
    return pod_changed(key.substr(prefixes_.pods.size()), object);
  }
  // Unreadable objects grant no access.
  const auto document =
      object == nullptr ? Result<json::Document>(json::Document({}, {})) : object->document();
  const api::View spec = document.ok() ? api::View(document->root())["spec"] : api::View();
  if (key.starts_with(prefixes_.volumes)) {
    const std::string_view name = key.substr(prefixes_.volumes.size());
    graph_.place(Relative::kLocalVolume, name, node_authorizer::local_path_node(object.get()));
    if (!spec) return graph_.remove_volume(name);
    graph_.put_volume(name, document->root());
  } else if (key.starts_with(prefixes_.attachments)) {
    graph_.place(Relative::kAttachment, key.substr(prefixes_.attachments.size()),
                 spec["nodeName"].text());
  } else if (key.starts_with(prefixes_.slices)) {
    graph_.place(Relative::kSlice, key.substr(prefixes_.slices.size()), spec["nodeName"].text());
  }
}

void NodeAuthorizer::pod_changed(std::string_view key, const api::ObjectPtr& object) {
  if (object == nullptr) return graph_.remove_pod(key);
  const node_authorizer::Version version = node_authorizer::version_of(object->json());
  const bool has_claims = node_authorizer::may_name_claims(object->json());
  if (!has_claims && graph_.knows_pod(key, version.uid, version.generation)) return;
  const auto document = object->document();
  if (!document.ok()) return graph_.remove_pod(key);
  const api::View pod = document->root();
  graph_.put_pod(key, {.name_space = key.substr(0, key.find('/')),
                       .uid = version.uid,
                       .generation = version.generation,
                       .node = pod["spec"]["nodeName"].text(),
                       .has_claims = has_claims && !is_mirror_pod(pod),
                       .references = references_of_pod(pod)});
}

}  // namespace proa::apiserver
