#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace proa::cel {

// What an expression asks: may the user, or a service account, do this?
struct AccessQuestion {
  bool is_service_account = false;
  std::string_view account_namespace;  // of the service account
  std::string_view account_name;
  bool is_resource = false;
  std::string_view path;  // else
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
  std::string_view name_space;
  std::string_view name;
  std::string_view field_selector;  // as it was written
  std::string_view label_selector;
  std::string_view verb;
};

struct AccessAnswer {
  bool allowed = false;
  std::string reason;
  std::optional<std::string> error;
};

// Answers for one user. The API server implements it. Called by the thread that evaluates.
class Authorizer {
 public:
  virtual AccessAnswer authorize(const AccessQuestion& question) const = 0;

 protected:
  ~Authorizer() = default;
};

// The type of the variable `authorizer`, and of `authorizer.requestResource`.
inline constexpr std::string_view kAuthorizerTypeName = "kubernetes.authorization.Authorizer";
inline constexpr std::string_view kResourceCheckTypeName = "kubernetes.authorization.ResourceCheck";

// REQUIRES: the authorizer outlives the value, and for a check the question's texts do.
Value make_authorizer(Arena& arena, const Authorizer& authorizer);
Value make_resource_check(Arena& arena, const Authorizer& authorizer,
                          const AccessQuestion& question);

}  // namespace proa::cel
