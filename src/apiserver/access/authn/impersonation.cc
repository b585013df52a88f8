#include "apiserver/access/authn/impersonation.h"

#include <algorithm>

#include "api/validation/field_errors.h"
#include "api/validation/go_text.h"
#include "api/validation/names.h"
#include "apiserver/access/authn/identity_headers.h"
#include "apiserver/access/authn/token_kinds/service_account.h"
#include "apiserver/access/authz/attributes.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace impersonation {

constexpr std::string_view kCoreGroup;
constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";
constexpr std::string_view kNodePrefix = "system:node:";
constexpr std::string_view kNodeName = "authentication.kubernetes.io/node-name";
constexpr std::string_view kNodeKeys = "authentication.kubernetes.io/associated-node-keys";
constexpr std::string_view kPrivileged = "system:masters";
// From this many names on, permission for "*" is checked first.
constexpr size_t kMany = 4;
constexpr size_t kMaxCallers = 10'000;

// Parses "system:node:NAME"; empty for other users.
std::string_view node_of(std::string_view user_name) {
  if (!user_name.starts_with(kNodePrefix)) return {};
  const std::string_view name = user_name.substr(kNodePrefix.size());
  return api::check_dns1123_subdomain(name).empty() ? name : std::string_view();
}

bool has_only_a_name(const User& user) {
  return user.uid.empty() && user.groups.empty() && user.extra.empty();
}

// Whether the caller is a service account of a pod on that node.
bool runs_on(const User& caller, std::string_view node) {
  if (node.empty() || !service_account_of(caller.name)) return false;
  return std::any_of(caller.extra.begin(), caller.extra.end(), [&](const auto& one) {
    return one.first == kNodeName && one.second.size() == 1 && one.second[0] == node;
  });
}

// An impersonation mode. Constrained modes are tried first, in upstream's order.
struct Mode {
  std::string_view name;  // empty: plain impersonation
  bool (*concerns)(const User& wanted, const User& caller);
};
constexpr Mode kModes[] = {
    {"associated-node",
     [](const User& wanted, const User& caller) {
       return has_only_a_name(wanted) && runs_on(caller, node_of(wanted.name));
     }},
    {"arbitrary-node",
     [](const User& wanted, const User&) {
       return has_only_a_name(wanted) && !node_of(wanted.name).empty();
     }},
    {"serviceaccount",
     [](const User& wanted, const User&) {
       return has_only_a_name(wanted) && service_account_of(wanted.name).has_value();
     }},
    {"user-info",
     [](const User& wanted, const User&) {
       return node_of(wanted.name).empty() && !service_account_of(wanted.name);
     }},
    {"", [](const User&, const User&) { return true; }},
};
constexpr size_t kAssociatedNode = 0;

// "%#v" of strings, as Go prints them.
std::string go_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(api::quoted(text));
  return "[]string{" + join(quoted, ", ") + "}";
}

Status without_a_name(const User& wanted) {
  UserExtra sorted = wanted.extra;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> pairs;
  for (const auto& [key, values] : sorted) {
    pairs.push_back(api::quoted(key) + ":" + go_list(values));
  }
  const std::string groups = wanted.groups.empty() ? "[]string(nil)" : go_list(wanted.groups);
  const std::string extra =
      pairs.empty() ? "map[string][]string(nil)" : "map[string][]string{" + join(pairs, ", ") + "}";
  return {Reason::kBadRequest,
          "requested &user.DefaultInfo{Name:\"\", UID:" + api::quoted(wanted.uid) +
              ", Groups:" + groups + ", Extra:" + extra + "} without impersonating a user name"};
}

// Nullopt: no impersonation requested.
Result<std::optional<User>> wanted_user(const http::Headers& headers) {
  User wanted;
  wanted.name = headers.get("impersonate-user");
  wanted.uid = headers.get("impersonate-uid");
  for (const std::string_view group : headers.all("impersonate-group")) {
    wanted.groups.emplace_back(group);
  }
  read_extra(headers, "impersonate-extra-", wanted.extra);
  if (!wanted.name.empty()) return std::optional(std::move(wanted));
  if (!has_only_a_name(wanted)) return without_a_name(wanted);
  return std::optional<User>();
}

std::string invalid_key(std::string_view key) {
  api::FieldErrors errors;
  errors.invalid_each(api::Path("extra.key"), key, api::check_domain_prefixed_path(key));
  const std::vector<std::string> texts = errors.texts();
  return texts.size() == 1 ? texts[0] : "[" + join(texts, ", ") + "]";
}

// Returns why constrained impersonation rejects `extra`; empty: it does not.
std::string wrong_extra(const UserExtra& extra) {
  for (const auto& [key, values] : extra) {
    if (key.empty()) return "impersonating the empty string key in extra is not allowed";
    if (!api::check_domain_prefixed_path(key).empty()) {
      return "impersonating an invalid key in extra is not allowed: " + invalid_key(key);
    }
    if (key != to_lower(key)) {
      return "impersonating a non-lowercase key in extra is not allowed: " + api::quoted(key);
    }
    if (std::find(values.begin(), values.end(), "") != values.end()) {
      return "impersonating the empty string value in extra is not allowed";
    }
  }
  return {};
}

bool is_large(const UserExtra& extra) {
  size_t count = 0;
  for (const auto& one : extra) count += one.second.size();
  return count >= kMany;
}

// Returns the caller without the values that identify its node, so that one check covers all nodes.
User without_node(const User& caller) {
  User other = caller;
  std::vector<std::string> keys;
  for (const auto& one : caller.extra) keys.push_back(one.first);
  std::sort(keys.begin(), keys.end());
  other.extra = {{std::string(kNodeKeys), std::move(keys)}};
  return other;
}

// One attempt in one mode.
class Attempt {
 public:
  Attempt(Authorizer& authorizer, const Mode& mode, const User& wanted,
          const Attributes& attributes)
      : authorizer_(authorizer),
        mode_(mode),
        wanted_(wanted),
        request_(attributes),
        verb_(is_plain() ? "impersonate" : "impersonate:" + std::string(mode.name)),
        caller_(is_associated() ? without_node(*attributes.user) : *attributes.user) {}

  Result<Impersonated> run() const {
    if (!is_plain()) TRY(check_action());
    auto user = std::make_shared<User>(wanted_);
    TRY(check_name(*user));
    if (!wanted_.uid.empty()) TRY(check({.resource = "uids", .name = wanted_.uid}));
    TRY(check_groups());
    TRY(check_extra());
    if (user->name == kAnonymousUser) {
      if (!user->in_group(kUnauthenticated)) user->groups.emplace_back(kUnauthenticated);
    } else {
      join_authenticated(*user);
    }
    return Impersonated{.user = std::move(user), .constraint = is_plain() ? "" : verb_};
  }

 private:
  struct Target {
    std::string_view group = kAuthenticationGroup;
    std::string_view resource = {};
    std::string_view subresource = {};
    std::string_view name_space = {};
    std::string_view name = {};
  };

  bool is_plain() const { return mode_.name.empty(); }
  bool is_associated() const { return &mode_ == &kModes[kAssociatedNode]; }
  // Plain impersonation uses the core API group for users, groups and service accounts.
  std::string_view users_group() const { return is_plain() ? kCoreGroup : kAuthenticationGroup; }

  Attributes attributes_of(const Target& target) const {
    return {.user = &caller_,
            .verb = verb_,
            .is_resource = true,
            .group = target.group,
            .version = "v1",
            .resource = target.resource,
            .subresource = target.subresource,
            .name_space = target.name_space,
            .name = target.name,
            .path = {}};
  }

  Result<void> authorize(const Attributes& attributes) const {
    const Verdict verdict = authorizer_.authorize(attributes);
    if (verdict.allowed()) return {};
    return forbidden(attributes, verdict.reason);
  }
  Result<void> check(const Target& target) const { return authorize(attributes_of(target)); }
  Status refuse(const Target& target, std::string_view why) const {
    return forbidden(attributes_of(target), why);
  }

  // Whether impersonation may perform this action at all.
  Result<void> check_action() const {
    const std::string verb =
        "impersonate-on:" + std::string(mode_.name) + ":" + std::string(request_.verb);
    Attributes action = request_;
    action.user = &caller_;
    action.verb = verb;
    return authorize(action);
  }

  // Adds the groups implied by the name.
  Result<void> check_name(User& user) const {
    if (const std::string_view node = node_of(wanted_.name); !is_plain() && !node.empty()) {
      user.groups = {"system:nodes"};
      // Checked for all nodes: the caller is known to run on the one it names.
      return check({.resource = "nodes", .name = is_associated() ? "*" : node});
    }
    if (const auto account = service_account_of(wanted_.name)) {
      if (wanted_.groups.empty()) user.groups = service_account_groups(account->name_space);
      return check({.group = users_group(),
                    .resource = "serviceaccounts",
                    .name_space = account->name_space,
                    .name = account->name});
    }
    return check({.group = users_group(), .resource = "users", .name = wanted_.name});
  }

  Result<void> check_groups() const {
    const std::vector<std::string>& groups = wanted_.groups;
    Target target{.group = users_group(), .resource = "groups"};
    if (!is_plain() && std::find(groups.begin(), groups.end(), "") != groups.end()) {
      return refuse(target, "impersonating the empty string group is not allowed");
    }
    if (!is_plain() && wanted_.in_group(kPrivileged)) {
      target.name = kPrivileged;
      return refuse(target, "impersonating the system:masters group is not allowed");
    }
    if (!is_plain() && groups.size() >= kMany) {
      target.name = "*";
      if (check(target).ok()) return {};
    }
    for (const std::string& group : groups) {
      target.name = group;
      TRY(check(target));
    }
    return {};
  }

  Result<void> check_extra() const {
    Target target{.resource = "userextras"};
    if (!is_plain()) {
      if (const std::string why = wrong_extra(wanted_.extra); !why.empty()) {
        return refuse(target, why);
      }
    }
    if (!is_plain() && is_large(wanted_.extra)) {
      target.subresource = "*";
      target.name = "*";
      if (check(target).ok()) return {};
    }
    for (const auto& [key, values] : wanted_.extra) {
      target.subresource = key;
      for (const std::string& value : values) {
        target.name = value;
        TRY(check(target));
      }
    }
    return {};
  }

  Authorizer& authorizer_;
  const Mode& mode_;
  const User& wanted_;
  const Attributes& request_;
  const std::string verb_;
  const User caller_;
};

}  // namespace impersonation

Result<std::optional<Impersonated>> Impersonation::impersonate(const http::Headers& headers,
                                                               const Attributes& attributes) {
  using namespace impersonation;
  const std::optional<User> wanted = TRY(wanted_user(headers));
  if (!wanted) return std::optional<Impersonated>();
  const User& caller = *attributes.user;
  const std::optional<size_t> last = last_mode(caller);
  std::vector<size_t> order;
  if (last) order.push_back(*last);
  for (size_t i = 0; i < std::size(kModes); ++i) {
    if (i != last) order.push_back(i);
  }
  std::optional<Status> failure;
  for (const size_t i : order) {
    if (!kModes[i].concerns(*wanted, caller)) continue;
    Result<Impersonated> done = Attempt(authorizer_, kModes[i], *wanted, attributes).run();
    if (done) {
      if (i != last) keep_mode(caller, i);
      return std::optional(std::move(*done));
    }
    // The first failure names the permission to request.
    if (!failure) failure = done.status();
  }
  CHECK(failure.has_value());  // plain impersonation applies to every user
  return *failure;
}

std::optional<size_t> Impersonation::last_mode(const User& caller) const {
  MutexLock lock(mutex_);
  const auto found = modes_.find(std::hash<std::string>()(caller.name));
  return found == modes_.end() ? std::nullopt : std::optional<size_t>(found->second);
}

void Impersonation::keep_mode(const User& caller, size_t mode) {
  MutexLock lock(mutex_);
  if (modes_.size() >= impersonation::kMaxCallers) modes_.clear();
  modes_[std::hash<std::string>()(caller.name)] = static_cast<uint8_t>(mode);
}

}  // namespace proa::apiserver
