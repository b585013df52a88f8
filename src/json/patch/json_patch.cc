#include "json/patch/json_patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "json/patch/pointer.h"
#include "json/print.h"

namespace proa::json {
namespace json_patch {

constexpr std::string_view kDiffers = "the value differs";
constexpr size_t kShownBytes = 256;  // of a path in a message

Status failed(std::string_view operation, std::string_view why) {
  return {Reason::kInvalid, fmt::format("{}: {}", operation, why)};
}

// Where an operation takes place: a member or an item of `parent`. There may be nothing.
struct Place {
  Value* parent = nullptr;  // an object or array
  std::string_view last;

  // Null if there is nothing.
  Value* value() const {
    if (parent->is(Kind::kObject)) return parent->find(last);
    const auto index = resolve_index(last, parent->size());
    return index ? &parent->items()[*index] : nullptr;
  }
  bool in_object() const { return parent->is(Kind::kObject); }
};

// The size of a value as text.
size_t printed_size(const Value& value) { return print(value).size(); }

struct Measure {
  size_t values = 1;
  size_t depth = 0;
};

Measure measure(const Value& value) {
  Measure all;
  const auto add = [&](const Value& part) {
    const Measure inner = measure(part);
    all.values += inner.values;
    all.depth = std::max(all.depth, inner.depth + 1);
  };
  if (value.is(Kind::kArray) || value.is(Kind::kObject)) all.depth = 1;
  for (const Value& item : value.items()) add(item);
  for (const Member& member : value.members()) add(member.value);
  return all;
}

class Patcher {
 public:
  Patcher(Document& document, Budget& budget, const JsonPatchOptions& options)
      : document_(document), budget_(budget), options_(options) {}

  Result<void> add(const Pointer& path, Value value, std::string_view operation) {
    TRY(check_depth(path, value, operation));
    const Place place = TRY(find(path, operation));
    if (place.in_object()) {
      place.parent->set(document_.arena(), place.last, std::move(value));
      return {};
    }
    const size_t end = place.parent->size();
    const auto index = place.last == "-" ? std::optional(end) : resolve_index(place.last, end + 1);
    if (!index) return failed(operation, "index out of range");
    budget_.take_moves(end - *index);
    TRY(budget_.check());
    place.parent->insert(document_.arena(), *index, std::move(value));
    return {};
  }

  // Removes and returns the value.
  Result<Value> remove(const Pointer& path, std::string_view operation) {
    const Place place = TRY(find(path, operation));
    Value* const found = place.value();
    if (found == nullptr) return failed(operation, "path not found");
    Value value = std::move(*found);
    // Also for an object: its members move up, and so do their places in its index.
    budget_.take_moves(place.parent->size());
    TRY(budget_.check());
    if (place.in_object()) {
      place.parent->remove(place.last);
    } else {
      place.parent->erase(static_cast<size_t>(found - place.parent->items().data()));
    }
    return value;
  }

  // As upstream, and unlike RFC 6902, a member need not exist.
  Result<void> replace(const Pointer& path, const Value& value) {
    TRY(check_depth(path, value, "replace"));
    if (path.is_root()) return replace_all(value);
    const Place place = TRY(find(path, "replace"));
    Value copy = value.copy(document_.arena());
    if (Value* const found = place.value()) {
      *found = std::move(copy);
    } else if (place.in_object()) {
      place.parent->set(document_.arena(), place.last, std::move(copy));
    } else {
      return failed("replace", "index out of range");
    }
    return {};
  }

  Result<void> move(const Pointer& from, const Pointer& path) {
    Value value = TRY(remove(from, "move"));
    return add(path, std::move(value), "move");
  }

  // As upstream, the copy of a member that does not exist is null.
  Result<void> copy(const Pointer& from, const Pointer& path) {
    const Place source = TRY(find(from, "copy"));
    const Value* const found = source.value();
    if (found == nullptr) {
      if (!source.in_object()) return failed("copy", "index out of range");
      return add(path, Value(), "copy");
    }
    copied_ += printed_size(*found);
    if (copied_ > options_.max_copied_bytes) {
      return Status(
          Reason::kRequestEntityTooLarge,
          fmt::format("the copies of a JSON patch would add {} bytes, more than the limit of {}",
                      copied_, options_.max_copied_bytes));
    }
    budget_.take_values(measure(*found).values);
    TRY(budget_.check());
    Value value = found->copy(document_.arena());
    return add(path, std::move(value), "copy");
  }

  // As upstream, a member that does not exist is null.
  Result<void> test(const Pointer& path, const Value& expected) {
    const Value* found = &document_.root();
    if (!path.is_root()) {
      const Place place = TRY(find(path, "test"));
      found = place.value();
      if (found == nullptr && !place.in_object()) return failed("test", "index out of range");
    }
    const bool same = found == nullptr ? expected.is_null() : *found == expected;
    if (!same) return failed("test", kDiffers);
    return {};
  }

  Arena& arena() { return document_.arena(); }
  Result<void> check_memory() {
    budget_.holds(arena().reserved());
    return budget_.check();
  }

 private:
  // Fails for the whole document, which is in nothing.
  Result<Place> find(const Pointer& path, std::string_view operation) {
    if (path.is_root()) return failed(operation, "the path is missing");
    Value* value = &document_.root();
    for (const std::string& token : std::span(path.tokens()).first(path.tokens().size() - 1)) {
      const Place place{value, token};
      value = is_container(*value) ? place.value() : nullptr;
      if (value == nullptr) return failed(operation, "path not found");
    }
    if (!is_container(*value)) return failed(operation, "the parent is not an object or array");
    return Place{value, path.tokens().back()};
  }

  static bool is_container(const Value& value) {
    return value.is(Kind::kObject) || value.is(Kind::kArray);
  }

  Result<void> replace_all(const Value& value) {
    if (!is_container(value)) return failed("replace", "the value must be an object or array");
    document_.root() = value.copy(document_.arena());
    return {};
  }

  // Looks at the whole value, which a patch may move again and again.
  Result<void> check_depth(const Pointer& path, const Value& value, std::string_view operation) {
    const Measure measured = measure(value);
    budget_.take_steps(measured.values);
    TRY(budget_.check());
    if (path.tokens().size() + measured.depth <= kMaxDepth) return {};
    return failed(operation, "the document would be nested too deeply");
  }

  Document& document_;
  Budget& budget_;
  const JsonPatchOptions& options_;
  size_t copied_ = 0;
};

// The fields of one operation.
class Operation {
 public:
  explicit Operation(const Value& value) : value_(value) {}

  Result<std::string_view> text(std::string_view key) const {
    const Value* found = value_.find(key);
    if (found == nullptr || !found->is(Kind::kString)) {
      return Status(Reason::kInvalid, fmt::format("\"{}\" must be a string", key));
    }
    return found->as_string();
  }

  Result<Pointer> pointer(std::string_view key) const {
    const std::string_view place = TRY(text(key));
    // Nothing lies deeper, and the steps of one path could take more memory than the document.
    if (std::count(place.begin(), place.end(), '/') > static_cast<ptrdiff_t>(kMaxDepth) + 1)
      return Status(Reason::kInvalid, fmt::format("\"{}\" has too many steps", key));
    return Pointer::parse(place);
  }

  // In messages: `operation 2 of the JSON patch, at "/spec/x"`.
  std::string description(size_t number) const {
    std::string words = fmt::format("operation {} of the JSON patch", number);
    const Value* path = value_.find("path");
    if (path != nullptr && path->is(Kind::kString))
      words += fmt::format(", at \"{}\"", valid_utf8(path->as_string(), kShownBytes));
    return words;
  }

  // As upstream, an absent value is null.
  const Value& value() const {
    static constexpr Value kNone{};
    const Value* found = value_.find("value");
    return found == nullptr ? kNone : *found;
  }

 private:
  const Value& value_;
};

Result<void> apply(Patcher& patcher, const Operation& operation) {
  const std::string_view name = TRY(operation.text("op"));
  const Pointer path = TRY(operation.pointer("path"));
  if (name == "add") return patcher.add(path, operation.value().copy(patcher.arena()), name);
  if (name == "replace") return patcher.replace(path, operation.value());
  if (name == "test") return patcher.test(path, operation.value());
  if (name == "remove") {
    TRY(patcher.remove(path, name));
    return {};
  }
  if (name == "move" || name == "copy") {
    const Pointer from = TRY(operation.pointer("from"));
    return name == "move" ? patcher.move(from, path) : patcher.copy(from, path);
  }
  return Status(Reason::kInvalid,
                fmt::format("\"{}\" is not one of add, remove, replace, move, copy, test", name));
}

}  // namespace json_patch

Result<void> apply_json_patch(Document& document, const Value& patch, Budget& budget,
                              const JsonPatchOptions& options) {
  if (!patch.is(Kind::kArray)) {
    return Status(Reason::kBadRequest, "a JSON patch must be an array of operations");
  }
  if (patch.size() > options.max_operations) {
    return Status(Reason::kRequestEntityTooLarge,
                  fmt::format("Request entity too large: The allowed maximum operations in a JSON "
                              "patch is {}, got {}",
                              options.max_operations, patch.size()));
  }
  json_patch::Patcher patcher(document, budget, options);
  size_t number = 0;
  for (const Value& each : patch.items()) {
    const json_patch::Operation operation(each);
    const Result<void> applied = json_patch::apply(patcher, operation);
    if (budget.exceeded()) return budget.status();
    if (!applied) return applied.status().in(operation.description(number));
    TRY(patcher.check_memory());
    ++number;
  }
  return {};
}

bool is_failed_test(const Status& status) {
  return status.is(Reason::kInvalid) &&
         status.message().ends_with(json_patch::failed("test", json_patch::kDiffers).message());
}

}  // namespace proa::json
