#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cel/expression/checked.h"
#include "cel/values/value.h"
#include "json/value.h"

// Expressions of an AuthenticationConfiguration: over the claims of a token, and over the user that
// they are mapped to. As k8s.io/apiserver/pkg/authentication/cel.

namespace proa::cel {

enum class IdentityResult : uint8_t {
  kBool,  // of a validation
  kAny,   // of a mapping: what it is shows when it is evaluated
};

struct IdentityExpression : CheckedExpression {
  bool uses_email = false;           // claims.email
  bool uses_email_verified = false;  // claims.email_verified
};

// An expression that may mention `claims`.
IdentityExpression compile_claims_expression(std::string_view source, IdentityResult result);
// An expression that may mention `user`; a bool.
IdentityExpression compile_user_expression(std::string_view source);

// The value of `claims`: numbers are doubles, and names may be escaped (claims.a__dot__b).
// REQUIRES: an object; it and the arena outlive the value.
Value claims_value(Arena& arena, const json::Value& claims);

struct UserFacts {
  std::string_view name;
  std::string_view uid;
  std::span<const std::string> groups;
  std::span<const std::pair<std::string, std::vector<std::string>>> extra;
};
// The value of `user`. REQUIRES: the facts and the arena outlive it.
Value user_value(Arena& arena, const UserFacts& user);

// `variable`: of claims_value() or user_value(). Fails in upstream's words. REQUIRES: an expression
// without error.
Result<Value> evaluate_identity(const IdentityExpression& expression, const Value& variable,
                                Arena& arena);

}  // namespace proa::cel
