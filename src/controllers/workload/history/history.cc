#include "controllers/workload/history/history.h"

#include <iterator>

#include "controllers/framework/writes.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace history {

using api::View;

// With the labels of its pods, by which kubectl finds it, and the owner's annotations
// (kubernetes.io/change-cause).
Result<json::Document> new_revision(const Owner& owner, View root, const std::string& data,
                                    int64_t number) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit revision(document);
  revision.set("apiVersion", "apps/v1");
  revision.set("kind", "ControllerRevision");
  const api::Edit metadata = revision.object("metadata");
  metadata.set("namespace", owner.object.metadata().name_space);
  metadata.copy("labels", root["spec"]["template"]["metadata"]["labels"]);
  if (const View annotations = root["metadata"]["annotations"]; !annotations.empty()) {
    metadata.copy("annotations", annotations);
  }
  put_owner_reference(metadata, owner);
  const json::Document parsed = TRY(json::parse(data));
  revision.copy("data", parsed.root());
  revision.set("revision", number);
  return document;
}

// The owner of an existing revision with the desired name.
enum class Holder : uint8_t { kThisOrNone, kEarlierOwner, kOther };

Holder holder_of(const api::Object& revision, const Owner& owner) {
  const api::Metadata& self = owner.object.metadata();
  for (const api::Metadata::Owner& one : revision.metadata().owners) {
    if (!one.controller || one.uid == self.uid) continue;
    const bool same_name = one.kind == owner.resource.type->name && one.name == self.name;
    // The garbage collector will delete it and its pods.
    return same_name ? Holder::kEarlierOwner : Holder::kOther;
  }
  return Holder::kThisOrNone;
}

}  // namespace history

History::History(const ControllerContext& context, std::string_view hash_label)
    : client_(context.client),
      resource_(*context.schema.find_resource("apps", "v1", "controllerrevisions")),
      informer_(context.informers.by_controller("apps", "controllerrevisions")),
      hash_label_(hash_label),
      digests_(context.schema),
      claimer_(context, "apps", "controllerrevisions"),
      freshness_(informer_) {}

Result<std::vector<api::ObjectPtr>> History::claim(const Owner& owner,
                                                   const api::LabelSelector& selector) {
  std::vector<api::ObjectPtr> claimed = TRY(claimer_.claim(owner, selector));
  sort_revisions(claimed);
  return claimed;
}

bool History::is_same(const Owner& owner, const api::Object& revision) const {
  const TemplateDigest& wanted = digests_.of_owner(owner.object);
  return wanted.known && wanted == digests_.of_revision(revision);
}

Result<History::Current> History::current(const Owner& owner, api::View root,
                                          const std::vector<api::ObjectPtr>& known,
                                          int64_t collisions) {
  const int64_t next = known.empty() ? 1 : revision_number(*known.back()) + 1;
  for (auto one = known.rbegin(); one != known.rend(); ++one) {
    if (!is_same(owner, **one)) continue;
    const auto before = std::next(one);
    const bool alone = before == known.rend() || revision_number(**before) < revision_number(**one);
    if (one == known.rbegin() && alone) return Current{*one, collisions};
    api::ObjectPtr newest = TRY(renumber(owner, *one, next));
    return Current{std::move(newest), collisions};
  }
  return create(owner, root, next, collisions);
}

Result<History::Current> History::create(const Owner& owner, api::View root, int64_t number,
                                         int64_t collisions) {
  const std::string data = revision_data(root);
  const client::Key key = client::Key::of(owner.object);
  while (true) {
    const std::string hash = revision_hash(data, collisions);
    const std::string name = revision_name(key.name, hash);
    json::Document document = TRY(history::new_revision(owner, root, data, number));
    const api::Edit metadata = api::Edit(document).object("metadata");
    metadata.set("name", name);
    metadata.object("labels").set(hash_label_, hash);
    client::Place place = place_of(resource_, {key.name_space, {}});
    Result<api::ObjectPtr> created = client_.create(place, std::move(document), {});
    freshness_.tried(key, created);
    if (created) return Current{std::move(*created), collisions};
    if (!created.is(Reason::kAlreadyExists)) return created.status();
    place.name = name;
    api::ObjectPtr there = TRY(client_.get(place));
    const history::Holder holder = history::holder_of(*there, owner);
    if (holder == history::Holder::kEarlierOwner) {
      return Status(Reason::kConflict,
                    "revision " + name + " belongs to a deleted owner of the same name");
    }
    // Created by an earlier attempt, or released.
    const bool ours = holder == history::Holder::kThisOrNone;
    if (ours && is_same(owner, *there)) return Current{std::move(there), collisions};
    ++collisions;
  }
}

Result<api::ObjectPtr> History::renumber(const Owner& owner, const api::ObjectPtr& revision,
                                         int64_t number) {
  json::Document changed = TRY(revision->document());
  api::Edit(changed).set("revision", number);
  return update(owner, *revision, std::move(changed));
}

Result<api::ObjectPtr> History::update(const Owner& owner, const api::Object& revision,
                                       json::Document changed) {
  Result<api::ObjectPtr> updated =
      client_.update(place_of(resource_, client::Key::of(revision)), std::move(changed), {});
  freshness_.tried(client::Key::of(owner.object), updated);
  return updated;
}

Result<void> History::remove(const Owner& owner, const api::Object& revision) {
  const Result<void> removed = client_.remove(place_of(resource_, client::Key::of(revision)),
                                              {.uid = std::string(revision.metadata().uid)});
  freshness_.tried_to_remove(client::Key::of(owner.object), revision, removed);
  return unless_gone(removed);
}

}  // namespace proa::controllers
