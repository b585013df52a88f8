#include "json/patch/json_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "json/patch/pointer.h"
#include "json/print.h"

namespace proa::json {
namespace json_patch {

Status failed(std::string_view operation, const Pointer& path, std::string_view why) {
  return {Reason::kInvalid, fmt::format("{} \"{}\": {}", operation, path.str(), why)};
}

// The array index of a token; `limit` is the first index that does not exist.
std::optional<size_t> resolve_index(std::string_view token, size_t limit) {
  if (token.starts_with('-') && token.size() > 1) {
    const auto back = parse_index(token.substr(1));
    if (!back || *back == 0 || *back > limit) return std::nullopt;
    return limit - *back;
  }
  const auto index = parse_index(token);
  if (!index || *index >= limit) return std::nullopt;
  return index;
}

// One step of a pointer, with negative indexes.
Value* step(Value& value, std::string_view token) {
  if (value.is(Kind::kObject)) return value.find(token);
  if (!value.is(Kind::kArray)) return nullptr;
  const auto index = resolve_index(token, value.size());
  return index ? &value.items()[*index] : nullptr;
}

Value* walk(Value& root, std::span<const std::string> tokens) {
  Value* value = &root;
  for (const auto& token : tokens) {
    value = step(*value, token);
    if (value == nullptr) return nullptr;
  }
  return value;
}

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
    if (path.is_root()) {
      document_.root() = std::move(value);
      return {};
    }
    Value* const parent = parent_of(path);
    const std::string& last = path.tokens().back();
    if (parent != nullptr && parent->is(Kind::kObject)) {
      parent->set(document_.arena(), last, std::move(value));
      return {};
    }
    if (parent == nullptr || !parent->is(Kind::kArray)) {
      return failed(operation, path, "the parent is not an object or array");
    }
    const size_t end = parent->size();
    const auto index = last == "-" ? std::optional(end) : resolve_index(last, end + 1);
    if (!index) return failed(operation, path, "index out of range");
    budget_.take_moves(end - *index);
    TRY(budget_.check());
    parent->insert(document_.arena(), *index, std::move(value));
    return {};
  }

  // Removes and returns the value.
  Result<Value> remove(const Pointer& path, std::string_view operation) {
    Value* const found = walk(document_.root(), path.tokens());
    if (found == nullptr) return failed(operation, path, "path not found");
    if (path.is_root()) return std::move(document_.root());
    Value value = std::move(*found);
    Value* const parent = parent_of(path);
    // Also for an object: its members move up, and so do their places in its index.
    budget_.take_moves(parent->size());
    TRY(budget_.check());
    if (parent->is(Kind::kObject)) {
      parent->remove(path.tokens().back());
    } else {
      parent->erase(static_cast<size_t>(found - parent->items().data()));
    }
    return value;
  }

  Result<void> replace(const Pointer& path, const Value& value) {
    Value* const found = walk(document_.root(), path.tokens());
    if (found == nullptr) return failed("replace", path, "path not found");
    TRY(check_depth(path, value, "replace"));
    *found = value.copy(document_.arena());
    return {};
  }

  Result<void> move(const Pointer& from, const Pointer& path) {
    if (from.contains(path)) {
      if (path.contains(from)) return test_presence(from, "move");
      return failed("move", from, "a value cannot be moved into itself");
    }
    Value value = TRY(remove(from, "move"));
    return add(path, std::move(value), "move");
  }

  Result<void> copy(const Pointer& from, const Pointer& path) {
    const Value* const found = walk(document_.root(), from.tokens());
    if (found == nullptr) return failed("copy", from, "path not found");
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

  Result<void> test(const Pointer& path, const Value& expected) {
    const Value* const found = walk(document_.root(), path.tokens());
    if (found == nullptr) return failed("test", path, "path not found");
    if (!(*found == expected)) return failed("test", path, "the value differs");
    return {};
  }

  Arena& arena() { return document_.arena(); }
  Result<void> check_memory() {
    budget_.holds(arena().reserved());
    return budget_.check();
  }

 private:
  // Looks at the whole value, which a patch may move again and again.
  Result<void> check_depth(const Pointer& path, const Value& value, std::string_view operation) {
    const Measure measured = measure(value);
    budget_.take_steps(measured.values);
    TRY(budget_.check());
    if (path.tokens().size() + measured.depth <= kMaxDepth) return {};
    return failed(operation, path, "the document would be nested too deeply");
  }

  Value* parent_of(const Pointer& path) {
    return walk(document_.root(), std::span(path.tokens()).first(path.tokens().size() - 1));
  }

  Result<void> test_presence(const Pointer& path, std::string_view operation) {
    if (walk(document_.root(), path.tokens()) == nullptr)
      return failed(operation, path, "path not found");
    return {};
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
      return Status(Reason::kBadRequest, fmt::format("\"{}\" must be a string", key));
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

  // An explicit null is a value; an absent one is not.
  Result<const Value*> value() const {
    const Value* found = value_.find("value");
    if (found == nullptr) return Status(Reason::kBadRequest, "\"value\" is missing");
    return found;
  }

 private:
  const Value& value_;
};

Result<void> apply(Patcher& patcher, const Operation& operation) {
  const std::string_view name = TRY(operation.text("op"));
  const Pointer path = TRY(operation.pointer("path"));
  if (name == "remove") {
    TRY(patcher.remove(path, "remove"));
    return {};
  }
  if (name == "move" || name == "copy") {
    const Pointer from = TRY(operation.pointer("from"));
    return name == "move" ? patcher.move(from, path) : patcher.copy(from, path);
  }
  if (name == "add" || name == "replace" || name == "test") {
    const Value* value = TRY(operation.value());
    if (name == "add") return patcher.add(path, value->copy(patcher.arena()), "add");
    return name == "replace" ? patcher.replace(path, *value) : patcher.test(path, *value);
  }
  return Status(Reason::kBadRequest,
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
  for (const Value& operation : patch.items()) {
    auto applied = json_patch::apply(patcher, json_patch::Operation(operation));
    if (budget.exceeded()) return budget.status();
    if (!applied) return applied.status().in(fmt::format("operation {} of the JSON patch", number));
    TRY(patcher.check_memory());
    ++number;
  }
  return {};
}

}  // namespace proa::json
