#include "api/apply/managed/in_place.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "api/apply/fields/compare.h"
#include "api/apply/fields/fields_v1.h"
#include "api/apply/managed/entries.h"

namespace proa::api {
namespace in_place {

using json::Value;

// What a write changed, without what nobody owns.
struct Changes {
  FieldSet set;      // added or modified: the writer's
  FieldSet removed;  // nobody's

  bool empty() const { return set.empty() && removed.empty(); }
};

bool is_applied(View entry) { return entry["operation"].text() == "Apply"; }

bool is_writer(View entry, const ManagedKind& kind, std::string_view manager) {
  return !is_applied(entry) && entry["manager"].text() == manager &&
         entry["subresource"].text() == kind.subresource;
}

// Whether the stored list can be changed as it is.
bool is_usual(const Value* managers, const ManagedKind& kind, std::string_view manager) {
  if (managers == nullptr || managers->size() == 0 || !managers->is(json::Kind::kArray))
    return false;
  size_t updaters = 0;
  bool known = false;
  for (const Value& item : managers->items()) {
    const View entry(item);
    if (entry["apiVersion"].text() != kind.api_version() || !entry["fieldsV1"].exists())
      return false;
    if (!is_applied(entry)) ++updaters;
    known |= is_writer(entry, kind, manager);
  }
  return known || updaters < kMaxUpdaters;
}

std::optional<Changes> find_changes(const ManagedKind& kind, const Value& live, const Value& object,
                                    NotCompared managers, FieldSetMaker& make) {
  const Comparison found = compare_fields(live, object, kind.type.place(), make.arena(), managers);
  if (!found.valid) return std::nullopt;
  const auto owned = [&](FieldSet set) {
    if (set.empty()) return set;
    if (kind.reset_fields != nullptr)
      set = make.subtract_with_below(set, kind.reset_fields(kind.api_version()));
    return make.subtract(set, unowned_fields());
  };
  return Changes{.set = owned(make.unite(found.modified, found.added)),
                 .removed = owned(found.removed)};
}

// In its place in the order of fields.
void set_time(Edit entry, Time now) {
  if (entry.has("time")) return entry.set("time", format_time(now));
  Value inserted = Value::object();
  for (const json::Member& member : entry.view().members()) {
    if (member.key == "fieldsType") {
      inserted.set_borrowed(entry.arena(), "time", Value::string(entry.arena(), format_time(now)));
    }
    inserted.set_borrowed(entry.arena(), member.key, member.value.copy(entry.arena()));
  }
  entry.value() = std::move(inserted);
}

// The encoded list, and what a write does to it.
class Managers {
 public:
  Managers(Edit list, FieldSetMaker& make) : list_(list), make_(make) {}

  void take(const ManagedKind& kind, std::string_view manager, const Changes& changes, Time now) {
    bool found = false;
    for (size_t i = list_.size(); i-- > 0;) {
      const Edit entry = list_.item(i);
      const bool own = is_writer(entry.view(), kind, manager);
      found |= own;
      if (!change(entry, own, changes)) {
        list_.value().erase(i);
        continue;
      }
      if (own && !changes.set.empty()) set_time(entry, now);
    }
    if (!found && !changes.set.empty()) {
      const ManagedEntry added{.manager = std::string(manager),
                               .applied = false,
                               .api_version = std::string(kind.api_version()),
                               .subresource = std::string(kind.subresource),
                               .time = now,
                               .fields = changes.set};
      list_.push(encode_manager(added, list_.arena()));
    }
    sort();
  }

 private:
  // False if it owns nothing any more.
  bool change(Edit entry, bool own, const Changes& changes) {
    Value& fields = entry.existing("fieldsV1").value();
    remove_paths(fields, changes.removed);
    if (!own) {
      remove_paths(fields, changes.set);
      return fields.size() > 0;
    }
    if (has_all(fields, changes.set)) return fields.size() > 0;
    const Result<FieldSet> parsed = parse_fields_v1(fields, make_.arena());
    if (!parsed) return false;
    entry.set("fieldsV1", to_fields_v1(make_.unite(*parsed, changes.set), entry.arena()));
    return true;
  }

  // As encode_managers(). Times sort as text.
  void sort() {
    const auto key = [](const Value& item) {
      const View entry(item);
      return std::tuple(!is_applied(entry), entry["time"].text(), entry["manager"].text(),
                        entry["apiVersion"].text(), entry["subresource"].text());
    };
    std::ranges::sort(list_.value().items(), {}, key);
  }

  Edit list_;
  FieldSetMaker& make_;
};

struct Unowned {
  json::Arena arena;
  FieldSet fields;

  Unowned() {
    constexpr std::array<std::string_view, 9> kMetadata = {
        "clusterName",     "creationTimestamp", "generation", "managedFields", "name", "namespace",
        "resourceVersion", "selfLink",          "uid"};
    FieldSetMaker make(arena);
    size_t level = make.begin();
    for (const std::string_view name : kMetadata) make.add(Element::field(name), true);
    const FieldSet metadata = make.end(level);
    level = make.begin();
    make.add(Element::field("apiVersion"), true);
    make.add(Element::field("kind"), true);
    make.add(Element::field("metadata"), true, metadata);
    fields = make.end(level);
  }
};

}  // namespace in_place

FieldSet unowned_fields() {
  static const in_place::Unowned made;
  return made.fields;
}

bool track_in_place(const ManagedKind& kind, const json::Value& live, Edit object,
                    std::string_view manager, Time now) {
  const json::Value* before = View(live)["metadata"]["managedFields"].value();
  if (!in_place::is_usual(before, kind, manager)) return false;
  const json::Value* stated = object["metadata"]["managedFields"].value();
  const bool states = stated != nullptr && stated->is(json::Kind::kArray);
  const bool same = states && *stated == *before;
  // A subresource does not take them from the client.
  if (states && !same && kind.subresource.empty()) return false;
  json::Arena arena;
  FieldSetMaker make(arena);
  const std::optional<in_place::Changes> changes =
      in_place::find_changes(kind, live, object.value(), {.before = before, .after = stated}, make);
  if (!changes) return false;
  const Edit metadata = object.object("metadata");
  if (!same) metadata.copy("managedFields", *before);
  if (changes->empty()) return true;
  const Edit list = metadata.existing("managedFields");
  in_place::Managers(list, make).take(kind, manager, *changes, now);
  if (list.size() == 0) metadata.remove("managedFields");
  return true;
}

}  // namespace proa::api
