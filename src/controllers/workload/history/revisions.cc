#include "controllers/workload/history/revisions.h"

#include <algorithm>
#include <tuple>

#include "api/object/edit.h"
#include "controllers/workload/objects/template_owner.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace revisions {

using api::View;

json::Value sorted_copy(json::Arena& arena, View from) {
  if (from.is(json::Kind::kArray)) {
    json::Value list = json::Value::array();
    for (const View item : from.items()) list.push_back(arena, sorted_copy(arena, item));
    return list;
  }
  if (!from.is(json::Kind::kObject)) return from.value()->copy(arena);
  std::vector<const json::Member*> members;
  for (const json::Member& member : from.members()) {
    if (!member.value.is_null()) members.push_back(&member);
  }
  std::sort(members.begin(), members.end(),
            [](const json::Member* a, const json::Member* b) { return a->key < b->key; });
  json::Value object = json::Value::object();
  for (const json::Member* member : members) {
    object.set(arena, member->key, sorted_copy(arena, member->value));
  }
  return object;
}

json::Document empty_object() {
  json::Document document;
  document.root() = json::Value::object();
  return document;
}

// What is read of a revision in each reconcile of its owner.
struct Facts {
  int64_t number = 0;
  Time created{};
};

const Facts& facts(const api::Object& object) {
  return object.kept<Facts>([&] {
    const Result<objects::Revision> revision = api::decode<objects::Revision>(object);
    return revision ? Facts{revision->number, revision->metadata.created} : Facts{};
  });
}

}  // namespace revisions

std::string sorted_json(api::View value) {
  json::Arena arena;
  return json::print(revisions::sorted_copy(arena, value));
}

std::string revision_data(api::View owner) {
  json::Document document = revisions::empty_object();
  const api::Edit spec = api::Edit(document).object("spec");
  spec.copy("template", owner["spec"]["template"]);
  spec.object("template").set("$patch", "replace");
  return sorted_json(document.root());
}

Result<json::Document> revision_template(const api::Object& object) {
  const objects::Revision revision = TRY(api::decode<objects::Revision>(object));
  if (revision.data.empty()) return revisions::empty_object();
  json::Document document = TRY(json::parse(revision.data.text));
  json::Value* spec = document.root().find("spec");
  json::Value* found = spec == nullptr ? nullptr : spec->find("template");
  if (found == nullptr || !found->is(json::Kind::kObject)) return revisions::empty_object();
  json::Value pod_template = std::move(*found);
  document.root() = std::move(pod_template);
  api::Edit(document).remove("$patch");
  return document;
}

std::string revision_hash(std::string_view data, std::optional<int64_t> collisions) {
  uint32_t hash = 2166136261;  // FNV-1, as upstream: names survive a migration
  const auto add = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash * 16777619) ^ static_cast<uint8_t>(c);
  };
  add(data);
  if (collisions) add(std::to_string(*collisions));
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text = std::to_string(hash);
  for (char& c : text) c = kLetters[static_cast<uint8_t>(c) % kLetters.size()];
  return text;
}

std::string_view revision_hash_of(const api::Object& object) {
  const std::string_view* label = object.metadata().label(kRevisionHashLabel);
  return label == nullptr ? std::string_view() : *label;
}

std::string revision_name(std::string_view owner, std::string_view hash) {
  constexpr size_t kMostOfOwner = 223;  // upstream's ControllerRevisionName: 253 in the end
  return std::string(owner.substr(0, kMostOfOwner)) + "-" + std::string(hash);
}

int64_t revision_number(const api::Object& revision) { return revisions::facts(revision).number; }

void sort_revisions(std::vector<api::ObjectPtr>& revisions) {
  const auto rank = [](const api::ObjectPtr& one) {
    const revisions::Facts& facts = revisions::facts(*one);
    return std::tuple(facts.number, facts.created, one->metadata().name);
  };
  std::sort(revisions.begin(), revisions.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

std::vector<api::ObjectPtr> surplus_revisions(
    const std::vector<api::ObjectPtr>& old, int64_t limit,
    const std::function<bool(const api::Object&)>& in_use) {
  std::vector<api::ObjectPtr> gone;
  if (limit < 0) return gone;
  for (const api::ObjectPtr& revision : old) {
    if (static_cast<int64_t>(old.size() - gone.size()) <= limit) break;
    if (!in_use(*revision)) gone.push_back(revision);
  }
  return gone;
}

}  // namespace proa::controllers
