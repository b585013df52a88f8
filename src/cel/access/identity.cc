#include "cel/access/identity.h"

#include "base/check.h"
#include "cel/expression/rule.h"
#include "cel/syntax/selections.h"
#include "cel/types/escape.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace identity_expressions {

constexpr int kMinorVersion = 36;
constexpr std::string_view kClaims = "claims";

constexpr Type kClaimsType{.kind = TypeKind::kOpaque, .name = "kubernetes.claims"};
constexpr Type kUserType{.kind = TypeKind::kOpaque, .name = "kubernetes.UserInfo"};

Environment claims_environment() {
  Environment made = kubernetes_environment(kMinorVersion);
  CHECK(made.add_variable(kClaims, "map(string, any)"));
  return made;
}

Environment user_environment() {
  Environment made = kubernetes_environment(kMinorVersion);
  constexpr Environment::Field kFields[] = {{"username", "string"},
                                            {"uid", "string"},
                                            {"groups", "list(string)"},
                                            {"extra", "map(string, list(string))"}};
  CHECK(made.add_struct(kUserType.name, kFields));
  CHECK(made.add_variable("user", kUserType.name));
  return made;
}

// Upstream does not say what it got instead.
std::string mismatch(std::string_view type, IdentityResult result) {
  return result == IdentityResult::kAny || type == "bool" ? "" : "must evaluate to bool";
}

// Upstream's lazy.MapValue: names are found, escaped or not, and a loop sees the values. It has no
// size, and `in` does not take it.
class Members final : public Opaque {
 public:
  // REQUIRES: names and values outlive it.
  Members(const Type& type, std::span<const std::string_view> names, std::span<const Value> values)
      : Opaque(type), names_(names), values_(values) {}

  bool equals(const Opaque& other) const override { return &other == this; }
  std::string print() const override { return {}; }
  std::optional<std::span<const Value>> items() const override { return values_; }
  uint64_t size() const override { return values_.size(); }
  std::optional<Value> member(std::string_view name) const override {
    if (!is_escaped_name(name)) return find(name);
    const std::optional<std::string> unescaped = unescape_name(name);
    return unescaped ? find(*unescaped) : std::nullopt;
  }

 private:
  std::optional<Value> find(std::string_view name) const {
    // The last one of several wins, as in Go's maps.
    for (size_t i = names_.size(); i > 0; --i) {
      if (names_[i - 1] == name) return values_[i - 1].unescaping();
    }
    return std::nullopt;
  }

  const std::span<const std::string_view> names_;
  const std::span<const Value> values_;
};

template <typename T>
std::span<T> allocate(Arena& arena, size_t count) {
  auto* place = static_cast<T*>(arena.allocate(sizeof(T) * count, alignof(T)));
  for (size_t i = 0; i < count; ++i) new (&place[i]) T();
  return {place, count};
}

// As Go's encoding/json reads it: all numbers are doubles. As deep as the parser lets documents be.
Value decoded(Arena& arena, const json::Value& json) {
  if (json.is(json::Kind::kInt)) return Value::number(static_cast<double>(json.as_int()));
  if (json.is(json::Kind::kArray)) {
    std::span<Value> items;
    const Value list = make_list(arena, static_cast<uint32_t>(json.size()), items);
    for (size_t i = 0; i < items.size(); ++i) items[i] = decoded(arena, json.items()[i]);
    return list;
  }
  if (json.is(json::Kind::kObject)) {
    MapBuilder map(arena, static_cast<uint32_t>(json.size()));
    for (const json::Member& member : json.members()) {
      map.set(Value::string(member.key), decoded(arena, member.value));
    }
    return map.build();
  }
  return from_json(json);
}

Value text_list(Arena& arena, std::span<const std::string> texts) {
  std::span<Value> items;
  const Value list = make_list(arena, static_cast<uint32_t>(texts.size()), items);
  for (size_t i = 0; i < items.size(); ++i) items[i] = Value::string(texts[i]);
  return list;
}

}  // namespace identity_expressions

IdentityExpression compile_claims_expression(std::string_view source, IdentityResult result) {
  using namespace identity_expressions;
  static const Environment environment = claims_environment();
  IdentityExpression made;
  const Expectation expectation{
      .mismatch = [&](std::string_view type) { return mismatch(type, result); },
      .inspect =
          [&](const Expr& root) {
            made.uses_email = selects(root, kClaims, "email");
            made.uses_email_verified = selects(root, kClaims, "email_verified");
          },
  };
  static_cast<CheckedExpression&>(made) = compile_checked(source, environment, expectation);
  return made;
}

IdentityExpression compile_user_expression(std::string_view source) {
  using namespace identity_expressions;
  static const Environment environment = user_environment();
  const Expectation expectation{
      .mismatch = [](std::string_view type) { return mismatch(type, IdentityResult::kBool); }};
  return {compile_checked(source, environment, expectation)};
}

Value claims_value(Arena& arena, const json::Value& claims) {
  using namespace identity_expressions;
  const auto members = claims.members();
  const auto names = allocate<std::string_view>(arena, members.size());
  const auto values = allocate<Value>(arena, members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    names[i] = members[i].key;
    values[i] = decoded(arena, members[i].value);
  }
  return Context(arena).opaque<Members>(kClaimsType, names, values);
}

Value user_value(Arena& arena, const UserFacts& user) {
  using namespace identity_expressions;
  static constexpr std::string_view kNames[] = {"username", "uid", "groups", "extra"};
  MapBuilder extra(arena, static_cast<uint32_t>(user.extra.size()));
  for (const auto& [name, texts] : user.extra) {
    extra.set(Value::string(name), text_list(arena, texts));
  }
  const auto values = allocate<Value>(arena, std::size(kNames));
  values[0] = Value::string(user.name);
  values[1] = Value::string(user.uid);
  values[2] = text_list(arena, user.groups);
  values[3] = extra.build();
  return Context(arena).opaque<Members>(kUserType, std::span(kNames), values);
}

Result<Value> evaluate_identity(const IdentityExpression& expression, const Value& variable,
                                Arena& arena) {
  const Outcome outcome = expression.program->evaluate({&variable, 1}, arena, kRuleCostLimit);
  if (!outcome.value.is_error()) return outcome.value;
  return Status(Reason::kUnauthorized,
                "expression '" + expression.source +
                    "' resulted in error: " + std::string(outcome.value.text()));
}

}  // namespace proa::cel
