#include "apiserver/representation/openapi/foreign/foreign_spec.h"

#include <deque>

#include "apiserver/representation/openapi/gnostic.h"
#include "base/cost/budget.h"
#include "base/encoding.h"
#include "base/utf8.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace foreign_spec {

using json::Kind;
using json::Value;
using Names = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kPaths = "paths";
constexpr std::string_view kDefinitions = "#/definitions/";
constexpr std::string_view kParameters = "#/parameters/";
// Upstream's whole API has some 300,000 values.
constexpr Budget::Limits kLimits{
    .values = 1'000'000, .memory = size_t{96} << 20, .steps = 20'000'000};
// Texts are longer than what the server sent: '<' is printed as "\u003c". Upstream's longest entry
// has 100 KB, and its whole document 4 MB. An entry is far from what json::parse() refuses, also
// with renamed references.
constexpr size_t kMostOfEntry = size_t{8} << 20;
constexpr size_t kMostOfAll = size_t{32} << 20;
constexpr size_t kLongestEscape = 6;
// Of a name in a message.
constexpr size_t kMostOfName = 256;

// Calls `use` with each reference in a value.
template <typename Use>
void for_references(Value& value, const Use& use) {
  for (Value& item : value.items()) for_references(item, use);
  for (const json::Member& member : value.members()) {
    Value* child = value.find(member.key);
    if (member.key == "$ref" && child->is(Kind::kString)) {
      use(*child);
    } else {
      for_references(*child, use);
    }
  }
}

// True is another way to write "any schema", and false is the default.
void normalize(json::Arena& arena, Value& value) {
  constexpr std::string_view kMore = "additionalProperties";
  for (Value& item : value.items()) normalize(arena, item);
  if (Value* more = value.find(kMore); more != nullptr && more->is(Kind::kBool)) {
    if (more->as_bool()) {
      *more = Value::object();
    } else {
      value.remove(kMore);
    }
  }
  for (const json::Member& member : value.members()) normalize(arena, *value.find(member.key));
}

Status invalid(std::string_view what, std::string_view name) {
  return {Reason::kInvalid,
          "OpenAPI document: invalid " + std::string(what) + " " + valid_utf8(name, kMostOfName)};
}

Status too_long(std::string_view what, std::string_view name) {
  return {Reason::kInvalid,
          "OpenAPI document: too long " + std::string(what) + " " + valid_utf8(name, kMostOfName)};
}

using Fits = bool (*)(const Value& value);

class Reader {
 public:
  explicit Reader(json::Document document) : document_(std::move(document)) {}

  Result<ForeignSpec> read(const std::string& prefix) {
    TRY(take_description());
    Value* paths = document_.root().find(kPaths);
    if (paths == nullptr) return std::move(spec_);
    for (const json::Member& member : paths->members()) {
      if (!member.key.starts_with(prefix)) continue;
      Value& path = *paths->find(member.key);
      TRY(take("path", member.key, path, spec_.paths, fits_gnostic_path));
    }
    while (!needed_.empty()) {
      const std::string reference = std::move(needed_.front());
      needed_.pop_front();
      TRY(add(reference));
    }
    return std::move(spec_);
  }

 private:
  Result<void> take_description() {
    const Value* info = document_.root().find("info");
    if (info != nullptr && info->is(Kind::kObject)) spec_.info = TRY(print("info", "", *info));
    const Value* security = document_.root().find("securityDefinitions");
    if (security == nullptr) return {};
    for (const json::Member& member : security->members()) {
      if (!member.value.is(Kind::kObject)) continue;
      std::string text = TRY(print("security definition", member.key, member.value));
      spec_.security.emplace(member.key, std::move(text));
    }
    return {};
  }

  Result<void> add(std::string_view reference) {
    if (reference.starts_with(kDefinitions)) {
      const std::string_view name = reference.substr(kDefinitions.size());
      return add("definitions", name, spec_.definitions, fits_gnostic_definition);
    }
    if (reference.starts_with(kParameters)) {
      const std::string_view name = reference.substr(kParameters.size());
      return add("parameters", name, spec_.parameters, fits_gnostic_parameter);
    }
    return invalid("reference", reference);
  }

  Result<void> add(std::string_view list, std::string_view name, ForeignSpec::Entries& entries,
                   Fits fits) {
    if (entries.contains(name)) return {};
    Value* all = document_.root().find(list);
    Value* found = all == nullptr ? nullptr : all->find(name);
    if (found == nullptr) return invalid("reference", name);
    return take(list, name, *found, entries, fits);
  }

  // What it refers to is needed, too.
  Result<void> take(std::string_view what, std::string_view name, Value& value,
                    ForeignSpec::Entries& entries, Fits fits) {
    normalize(document_.arena(), value);
    if (!fits(value)) return invalid(what, name);
    for_references(value, [&](Value& reference) {
      std::string referred(reference.as_string());
      if (seen_.emplace(referred, "").second) needed_.push_back(std::move(referred));
    });
    std::string text = TRY(print(what, name, value));
    entries.emplace(name, std::move(text));
    return {};
  }

  Result<std::string> print(std::string_view what, std::string_view name, const Value& value) {
    std::string text;
    if (!json::print_within(text, value, kMostOfEntry)) return too_long(what, name);
    size_ += text.size() + kLongestEscape * name.size();
    if (size_ > kMostOfAll) return too_long("document at", name);
    return text;
  }

  json::Document document_;
  ForeignSpec spec_;
  size_t size_ = 0;  // of its texts
  Names seen_;
  std::deque<std::string> needed_;
};

// Chooses names for the entries of one document.
Names choose_names(const ForeignSpec::Entries& entries, std::string_view prefix,
                   const std::function<bool(std::string_view)>& taken, Names& chosen_before) {
  Names renamed;
  for (const auto& [name, json] : entries) {
    std::string chosen = name;
    for (int number = 2;; ++number) {
      const auto other = chosen_before.find(chosen);
      const bool is_free = !taken(chosen) && other == chosen_before.end();
      if (is_free || (other != chosen_before.end() && other->second == json)) break;
      chosen = name + "_v" + std::to_string(number);
    }
    chosen_before.emplace(chosen, json);
    if (chosen != name) {
      renamed.emplace(std::string(prefix) + name, std::string(prefix) + chosen);
    }
  }
  return renamed;
}

std::string rename(const std::string& json, const Names& renamed) {
  if (renamed.empty()) return json;
  json::Document document = json::parse_literal(json);
  for_references(document.root(), [&](Value& reference) {
    const auto found = renamed.find(reference.as_string());
    if (found != renamed.end()) reference = Value::string(document.arena(), found->second);
  });
  return json::print(document.root());
}

void add_renamed(const ForeignSpec::Entries& from, std::string_view prefix, const Names& renamed,
                 ForeignSpec::Entries& to) {
  for (const auto& [name, json] : from) {
    const auto found = renamed.find(std::string(prefix) + name);
    const std::string chosen = found == renamed.end() ? name : found->second.substr(prefix.size());
    to.emplace(chosen, rename(json, renamed));
  }
}

}  // namespace foreign_spec

Result<ForeignSpec> read_foreign_spec(std::string_view json, std::string_view group,
                                      std::string_view version) {
  using namespace foreign_spec;
  Budget budget(kLimits);
  json::Document document = TRY(json::parse(json, {.budget = &budget}));
  if (!document.root().is(Kind::kObject)) return invalid("document", "");
  std::string prefix("/apis/");
  prefix.append(group).append("/").append(version).append("/");
  ForeignSpec spec = TRY(Reader(std::move(document)).read(prefix));
  spec.hash = to_upper_hex(crypto::sha512(json).view());
  return spec;
}

ForeignSpec merge_foreign_specs(std::span<const ForeignSpecPtr> specs, const TakenNames& taken) {
  using namespace foreign_spec;
  ForeignSpec merged;
  Names definitions;  // JSON as their server wrote it, by chosen name
  Names parameters;
  for (const ForeignSpecPtr& spec : specs) {
    Names renamed = choose_names(spec->definitions, kDefinitions, taken.definition, definitions);
    renamed.merge(choose_names(spec->parameters, kParameters, taken.parameter, parameters));
    add_renamed(spec->definitions, kDefinitions, renamed, merged.definitions);
    add_renamed(spec->parameters, kParameters, renamed, merged.parameters);
    for (const auto& [path, json] : spec->paths) merged.paths.emplace(path, rename(json, renamed));
  }
  return merged;
}

}  // namespace proa::apiserver
