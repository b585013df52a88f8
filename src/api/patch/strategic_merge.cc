#include "api/patch/strategic_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "api/patch/element_index.h"
#include "api/patch/strategic_errors.h"
#include "api/validation/go_text.h"

namespace proa::api {

namespace strategic_merge {

using json::Kind;
using json::Member;
using json::Value;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeletePrefix = "$deleteFromPrimitiveList";
constexpr std::string_view kOrderPrefix = "$setElementOrder";

bool is_text(const Value* value, std::string_view text) {
  return value != nullptr && value->is(Kind::kString) && value->as_string() == text;
}

// "$setElementOrder/ports": "ports".
std::optional<std::string_view> list_name(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix) || !key.substr(prefix.size()).starts_with('/')) return std::nullopt;
  return key.substr(prefix.size() + 1);
}

// The schema at a position: a message, or a map of something; neither if anything is allowed.
struct Place {
  const Type* message = nullptr;
  const Type* values = nullptr;
};

struct Inner {
  const Field* field = nullptr;
  Place place;

  bool merges() const {
    return field != nullptr && field->rules != nullptr && field->rules->patch.merge;
  }
  bool replaces() const {
    return field != nullptr && field->rules != nullptr && field->rules->patch.replace;
  }
  std::string_view merge_key() const {
    return field == nullptr || field->rules == nullptr ? "" : field->rules->patch.key;
  }
};

Place place_of(const Type* type) {
  if (type == nullptr) return {};
  return {.message = type->is_message() ? type : type->element};
}

Inner look_up(const Place& place, std::string_view name) {
  if (place.values != nullptr) return {.place = place_of(place.values)};
  const Field* field = place.message == nullptr ? nullptr : place.message->find(name);
  if (field == nullptr) return {};
  if (field->shape == Shape::kMap) return {field, {.values = field->type}};
  return {field, place_of(field->type)};
}

// The server's order of elements: the first `known` positions of the index.
struct ServerOrder {
  ElementIndex index;
  size_t known = 0;
};

class Merger {
 public:
  // The budget pays for elements that are visited: patches that name one element repeatedly would
  // take quadratic time otherwise.
  Merger(json::Arena& arena, Budget& budget) : arena_(arena), budget_(budget) {}

  Result<void> merge_map(Value& original, const Value& patch, const Place& place) {
    if (const Value* directive = patch.find(kDirective))
      return apply_directive(original, patch, *directive);
    if (const Value* keys = patch.find(kRetainKeys)) TRY(retain_keys(original, patch, *keys));
    const bool ordered = TRY(apply_orders(original, patch, place));
    TRY(remove_nulls(original, patch));
    for (const Member& member : patch.members()) {
      if (member.value.is_null() || member.key == kRetainKeys ||
          member.key.starts_with(kOrderPrefix)) {
        continue;
      }
      if (member.key.starts_with(kDeletePrefix)) {
        TRY(delete_from_list(original, member));
      } else if (!ordered || !has_order(patch, member.key)) {
        TRY(merge_member(original, member, look_up(place, member.key)));
      }
    }
    return {};
  }

 private:
  Result<void> spend(size_t elements) {
    // An element is hashed, compared and moved.
    constexpr size_t kSteps = 8;
    budget_.take_steps(elements * kSteps);
    budget_.holds(arena_.reserved());
    return budget_.check();
  }

  Result<void> apply_directive(Value& original, const Value& patch, const Value& directive) {
    if (is_text(&directive, "replace")) {
      original = patch.copy(arena_);
      original.remove(kDirective);
      return {};
    }
    if (!is_text(&directive, "delete")) return unknown_directive(directive, patch);
    original = Value::object();
    return {};
  }

  // Keeps the members that `keep` accepts, in one pass: removing them one by one would take
  // quadratic time.
  template <typename Keep>
  Result<void> filter(Value& object, Keep keep) {
    TRY(spend(object.size()));
    Value kept = Value::object();
    for (const Member& member : object.members()) {
      if (keep(member.key))
        kept.set_borrowed(arena_, member.key, std::move(*object.find(member.key)));
    }
    object = std::move(kept);
    return {};
  }

  Result<void> retain_keys(Value& original, const Value& patch, const Value& keys) {
    const auto bad_format = [] { return bad_patch("invalid patch format of retainKeys"); };
    if (!keys.is(Kind::kArray)) return bad_format();
    json::Document retained({}, Value::object());
    for (const Value& key : keys.items()) {
      if (key.is(Kind::kString))
        retained.root().set_borrowed(retained.arena(), key.as_string(), Value());
    }
    for (const Member& member : patch.members()) {
      const bool directive = member.key == kRetainKeys || member.key.starts_with(kDeletePrefix) ||
                             member.key.starts_with(kOrderPrefix);
      if (!directive && !member.value.is_null() && retained.root().find(member.key) == nullptr)
        return bad_format();
    }
    return filter(original,
                  [&](std::string_view key) { return retained.root().find(key) != nullptr; });
  }

  Result<void> remove_nulls(Value& original, const Value& patch) {
    // Removing a few is faster than filtering.
    constexpr size_t kFew = 8;
    json::Document removed({}, Value::object());
    for (const Member& member : patch.members()) {
      if (!member.value.is_null()) continue;
      const std::string_view key = list_name(member.key, kDeletePrefix).value_or(member.key);
      if (original.find(key) != nullptr) removed.root().set_borrowed(removed.arena(), key, Value());
    }
    if (removed.root().size() > kFew) {
      return filter(original,
                    [&](std::string_view key) { return removed.root().find(key) == nullptr; });
    }
    for (const Member& member : removed.root().members()) {
      TRY(spend(original.size()));
      original.remove(member.key);
    }
    return {};
  }

  static bool has_order(const Value& patch, std::string_view key) {
    std::string name(kOrderPrefix);
    name += '/';
    name += key;
    return patch.find(name) != nullptr;
  }

  Result<void> merge_member(Value& original, const Member& member, const Inner& inner) {
    Value* present = original.find(member.key);
    const Value& patch = member.value;
    if (present != nullptr && present->is(Kind::kObject) && patch.is(Kind::kObject)) {
      if (!inner.replaces()) return merge_map(*present, patch, inner.place);
      *present = patch.copy(arena_);
      return {};
    }
    if (present != nullptr && present->is(Kind::kArray) && patch.is(Kind::kArray)) {
      if (inner.merges()) {
        TRY(merge_list(*present, patch, inner));
      } else {
        *present = patch.copy(arena_);
      }
      return {};
    }
    if (auto taken = take_over(patch)) {
      original.set(arena_, member.key, std::move(*taken));
    } else if (present != nullptr) {
      original.remove(member.key);
    }
    return {};
  }

  // A copy of a value without a counterpart: without nulls and directives. Objects that are
  // directives are dropped, as in upstream's removeDirectives.
  std::optional<Value> take_over(const Value& patch) {
    if (patch.is(Kind::kObject)) {
      if (patch.find(kDirective) != nullptr) return std::nullopt;
      Value taken = Value::object();
      for (const Member& member : patch.members()) {
        if (member.value.is_null() || member.key == kRetainKeys ||
            member.key.starts_with(kOrderPrefix) || member.key.starts_with(kDeletePrefix)) {
          continue;
        }
        if (auto value = take_over(member.value)) taken.set(arena_, member.key, std::move(*value));
      }
      return taken;
    }
    if (patch.is(Kind::kArray)) {
      Value taken = Value::array();
      for (const Value& item : patch.items()) {
        if (auto value = take_over(item)) taken.push_back(arena_, std::move(*value));
      }
      return taken;
    }
    return patch.copy(arena_);
  }

  Result<void> delete_from_list(Value& original, const Member& member) {
    const auto name = list_name(member.key, kDeletePrefix);
    if (!name) return bad_patch("invalid patch format of primitive list");
    Value* present = original.find(*name);
    if (present == nullptr || !present->is(Kind::kArray) || !member.value.is(Kind::kArray))
      return {};
    TRY(spend(present->size()));
    TRY(check_kinds(*present, member.value));
    ElementIndex deleted({});
    TRY(deleted.add_all(member.value.items()));
    std::vector<Value> kept;
    for (Value& item : present->items()) {
      TRY(deleted.key_of(item));
      if (!deleted.find(item)) kept.push_back(std::move(item));
    }
    *present = list_of(std::move(kept));
    return {};
  }

  Value list_of(std::vector<Value> items) {
    Value list = Value::array();
    for (Value& item : items) list.push_back(arena_, std::move(item));
    return list;
  }

  static std::vector<Value> items_of(Value& list) {
    std::vector<Value> items;
    items.reserve(list.size());
    for (Value& item : list.items()) items.push_back(std::move(item));
    return items;
  }

  // All elements of both lists have the same kind, which is not a list.
  static Result<void> check_kinds(const Value& original, const Value& patch) {
    std::optional<Kind> kind;
    for (const Value* list : {&original, &patch}) {
      for (const Value& item : list->items()) {
        if (item.is(Kind::kArray)) return rejected_patch();
        if (kind.value_or(item.kind()) != item.kind() || item.is_null()) {
          return bad_patch(fmt::format("list element types are not identical: [{} {}]",
                                       go_value_text(original), go_value_text(patch)));
        }
        kind = item.kind();
      }
    }
    return {};
  }

  // Merges, and returns the order that upstream takes for the server's in a following
  // $setElementOrder.
  Result<ServerOrder> merge_list(Value& original, const Value& patch, const Inner& inner) {
    TRY(spend(original.size() + patch.size()));
    TRY(check_kinds(original, patch));
    const bool scalars = !holds_objects(original) && !holds_objects(patch);
    const std::string_view merge_key = scalars ? std::string_view() : inner.merge_key();
    const size_t before = original.size();
    ServerOrder server{ElementIndex(merge_key), before};
    ElementIndex wanted(merge_key);
    auto merged = TRY(scalars ? merge_scalars(original, patch, server, wanted)
                              : merge_objects(original, patch, inner, server, wanted));
    original = list_of(order_elements(std::move(merged), wanted, server.index, server.known));
    // New elements take the positions of deleted ones there: Go's slices share their memory.
    server.known = before;
    return server;
  }

  static bool holds_objects(const Value& list) {
    return list.size() > 0 && list.items().front().is(Kind::kObject);
  }

  Result<std::vector<Value>> merge_scalars(Value& original, const Value& patch, ServerOrder& server,
                                           ElementIndex& wanted) {
    TRY(server.index.add_all(original.items()));
    TRY(wanted.add_all(patch.items()));
    std::vector<Value> merged;
    for (size_t i = 0; i < original.size(); ++i) {
      Value& item = original.items()[i];
      if (server.index.find(item) == i) merged.push_back(std::move(item));
    }
    for (size_t i = 0; i < patch.size(); ++i) {
      const Value& item = patch.items()[i];
      if (wanted.find(item) == i && !server.index.find(item)) merged.push_back(item.copy(arena_));
    }
    return merged;
  }

  Result<std::vector<Value>> merge_objects(Value& original, const Value& patch, const Inner& inner,
                                           ServerOrder& server, ElementIndex& wanted) {
    if (inner.merge_key().empty())
      return bad_patch("cannot merge lists without merge key for struct");
    std::vector<const Value*> plain;
    std::vector<Value> merged;
    ElementIndex deleted(inner.merge_key());
    const bool replace = TRY(sort_out_directives(patch, plain, deleted));
    if (replace) {
      for (const Value* item : plain) {
        TRY(server.index.add(*item, merged.size()));
        merged.push_back(item->copy(arena_));
      }
      server.known = merged.size();
      return merged;
    }
    TRY(check_present(deleted, original.items()));
    for (Value& item : original.items()) {
      if (!deleted.find(item)) merged.push_back(std::move(item));
    }
    TRY(server.index.add_all(merged));
    server.known = merged.size();
    for (size_t i = 0; i < plain.size(); ++i) {
      TRY(wanted.add(*plain[i], i));
      if (const auto found = server.index.find(*plain[i])) {
        TRY(merge_map(merged[*found], *plain[i], inner.place));
      } else {
        TRY(server.index.add(*plain[i], merged.size()));
        merged.push_back(plain[i]->copy(arena_));
      }
    }
    return merged;
  }

  // Elements of the document must have keys; if not, the patch is not malformed.
  static Result<void> check_present(const ElementIndex& index, std::span<const Value> elements) {
    for (const Value& element : elements) {
      const auto key = index.key_of(element);
      if (!key.ok()) return rejected_patch();
    }
    return {};
  }

  // Separates the elements of a patch that are not directives from those that delete others.
  // Returns whether the list is replaced.
  static Result<bool> sort_out_directives(const Value& patch, std::vector<const Value*>& plain,
                                          ElementIndex& deleted) {
    bool replace = false;
    for (const Value& item : patch.items()) {
      const Value* directive = item.find(kDirective);
      if (directive == nullptr) {
        plain.push_back(&item);
      } else if (is_text(directive, "delete")) {
        TRY(deleted.add(item, 0));
      } else if (is_text(directive, "replace")) {
        replace = true;
      } else if (is_text(directive, "merge")) {
        return bad_patch("merging lists cannot yet be specified in the patch");
      } else {
        return unknown_directive(*directive, item);
      }
    }
    return replace;
  }

  // Applies the orders in the patch, together with the patches of their elements. Returns whether
  // there were any.
  Result<bool> apply_orders(Value& original, const Value& patch, const Place& place) {
    bool any = false;
    for (const Member& member : patch.members()) {
      if (!member.key.starts_with(kOrderPrefix)) continue;
      any = true;
      const auto name = list_name(member.key, kOrderPrefix);
      if (!name) return bad_patch("invalid patch format of setElementOrder list");
      if (!member.value.is(Kind::kArray)) return wrong_kind(Kind::kArray, member.value);
      const Inner inner = look_up(place, *name);
      if (place.message != nullptr && inner.field == nullptr) {
        return bad_patch(fmt::format("unable to find api field in struct {} for the json field {}",
                                     place.message->name, quoted(*name)));
      }
      TRY(apply_order(original, *name, patch.find(*name), member.value, inner));
    }
    return any;
  }

  Result<void> apply_order(Value& original, std::string_view name, const Value* patch,
                           const Value& order, const Inner& inner) {
    Value* present = original.find(name);
    for (const Value* list : {static_cast<const Value*>(present), patch}) {
      if (list != nullptr && !list->is(Kind::kArray)) return wrong_kind(Kind::kArray, *list);
    }
    if (present == nullptr && patch == nullptr) return {};
    TRY(check_order(patch, order, inner.merge_key()));
    TRY(spend((present == nullptr ? 0 : present->size()) + order.size()));
    ElementIndex wanted(inner.merge_key());
    TRY(wanted.add_all(order.items()));
    ServerOrder server{ElementIndex(inner.merge_key()), 0};
    if (present == nullptr) {
      present = &original.set(arena_, name, *take_over(*patch));
    } else {
      TRY(check_present(wanted, present->items()));
      if (patch != nullptr && inner.merges()) {
        server = TRY(merge_list(*present, *patch, inner));
      } else {
        TRY(server.index.add_all(present->items()));
        server.known = present->size();
        if (patch != nullptr) *present = patch->copy(arena_);
      }
    }
    for (const Value& item : present->items()) TRY(wanted.key_of(item));
    *present = list_of(order_elements(items_of(*present), wanted, server.index, server.known));
    return {};
  }

  // The patched elements must be in the requested order, which names all of them.
  static Result<void> check_order(const Value* patch, const Value& order,
                                  std::string_view merge_key) {
    if (patch == nullptr || order.size() == 0) return {};
    const ElementIndex keys(merge_key);
    size_t place = 0;
    for (const Value& item : patch->items()) {
      const Value* directive = item.find(kDirective);
      if (is_text(directive, "delete")) continue;
      bool found = directive != nullptr && place < order.size();
      while (!found && place < order.size()) {
        const Value* key = TRY(keys.key_of(item));
        const Value* next = TRY(keys.key_of(order.items()[place++]));
        found = next->kind() == key->kind() && *next == *key;
      }
      if (!found) {
        return bad_patch(
            fmt::format("The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                        go_value_text(*patch), go_value_text(order)));
      }
    }
    return {};
  }

  json::Arena& arena_;
  Budget& budget_;
};

}  // namespace strategic_merge

Result<void> apply_strategic_merge(json::Document& document, const json::Value& patch,
                                   const Type& type, Budget& budget) {
  if (!patch.is(json::Kind::kObject)) return wrong_kind(json::Kind::kObject, patch);
  strategic_merge::Merger merger(document.arena(), budget);
  return merger.merge_map(document.root(), patch, {.message = &type});
}

}  // namespace proa::api
