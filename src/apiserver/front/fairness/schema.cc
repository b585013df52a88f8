#include "apiserver/front/fairness/schema.h"

#include <algorithm>

#include "api/object/view.h"

namespace proa::apiserver::fairness {
namespace schema {

using api::View;
using Kind = FlowSchema::Subject::Kind;
using Texts = std::vector<std::string>;

constexpr std::string_view kAll = "*";
constexpr std::string_view kAccountPrefix = "system:serviceaccount:";

bool is_all(const Texts& texts) { return texts.size() == 1 && texts[0] == kAll; }

bool has(const Texts& texts, std::string_view wanted) {
  return is_all(texts) || std::ranges::find(texts, wanted) != texts.end();
}

// "system:serviceaccount:NAMESPACE:NAME", of any name if it is "*".
bool is_account(std::string_view user, std::string_view name_space, std::string_view name) {
  if (!user.starts_with(kAccountPrefix)) return false;
  user.remove_prefix(kAccountPrefix.size());
  if (!user.starts_with(name_space)) return false;
  user.remove_prefix(name_space.size());
  if (!user.starts_with(':')) return false;
  return name == kAll || user.substr(1) == name;
}

bool matches_subject(const FlowSchema::Subject& subject, const User& user) {
  switch (subject.kind) {
    case Kind::kUser:
      return subject.name == kAll || subject.name == user.name;
    case Kind::kGroup:
      return subject.name == kAll || user.in_group(subject.name);
    case Kind::kServiceAccount:
      return is_account(user.name, subject.name_space, subject.name);
    case Kind::kUnknown:
      break;
  }
  return false;
}

bool matches_resource(const Texts& resources, const Attributes& request) {
  if (is_all(resources)) return true;
  return std::ranges::any_of(resources, [&](std::string_view one) {
    if (request.subresource.empty()) return one == request.resource;
    return one.size() == request.resource.size() + 1 + request.subresource.size() &&
           one.starts_with(request.resource) && one[request.resource.size()] == '/' &&
           one.ends_with(request.subresource);
  });
}

bool matches_rule(const FlowSchema::ResourceRule& rule, const Attributes& request) {
  if (!has(rule.verbs, request.verb) || !matches_resource(rule.resources, request) ||
      !has(rule.groups, request.group)) {
    return false;
  }
  return request.name_space.empty() ? rule.cluster_scope : has(rule.namespaces, request.name_space);
}

// As upstream's matchPolicyRuleNonResourceURL: also "/healthz" stands for all below it.
bool matches_path(std::string_view rule, std::string_view path) {
  if (rule == kAll || rule == path) return true;
  if (rule.ends_with('*')) rule.remove_suffix(1);
  if (!path.starts_with(rule)) return false;
  return rule.ends_with('/') || (path.size() > rule.size() && path[rule.size()] == '/');
}

bool matches_rule(const FlowSchema::PathRule& rule, const Attributes& request) {
  return has(rule.verbs, request.verb) && std::ranges::any_of(rule.paths, [&](const auto& path) {
           return matches_path(path, request.path);
         });
}

Texts texts(View list) {
  Texts read;
  for (const View item : list.items()) read.emplace_back(item.text());
  return read;
}

FlowSchema::Subject read_subject(View subject) {
  const std::string_view kind = subject["kind"].text();
  if (kind == "User") return {Kind::kUser, std::string(subject["user"]["name"].text())};
  if (kind == "Group") return {Kind::kGroup, std::string(subject["group"]["name"].text())};
  if (kind != "ServiceAccount") return {};
  const View account = subject["serviceAccount"];
  return {Kind::kServiceAccount, std::string(account["name"].text()),
          std::string(account["namespace"].text())};
}

FlowSchema::Rule read_rule(View rule) {
  FlowSchema::Rule read;
  for (const View subject : rule["subjects"].items())
    read.subjects.push_back(read_subject(subject));
  for (const View resource : rule["resourceRules"].items()) {
    read.resources.push_back({.verbs = texts(resource["verbs"]),
                              .groups = texts(resource["apiGroups"]),
                              .resources = texts(resource["resources"]),
                              .namespaces = texts(resource["namespaces"]),
                              .cluster_scope = resource["clusterScope"].flag()});
  }
  for (const View path : rule["nonResourceRules"].items())
    read.paths.push_back({texts(path["verbs"]), texts(path["nonResourceURLs"])});
  return read;
}

FlowSchema mandatory(std::string_view name, int64_t precedence, const Texts& groups) {
  FlowSchema made;
  made.name = made.level = name;
  made.precedence = precedence;
  FlowSchema::Rule& rule = made.rules.emplace_back();
  for (const std::string& group : groups) rule.subjects.push_back({Kind::kGroup, group});
  const Texts all{std::string(kAll)};
  rule.resources.push_back({all, all, all, all, true});
  rule.paths.push_back({all, all});
  return made;
}

}  // namespace schema

bool FlowSchema::matches(const Attributes& request) const {
  return std::ranges::any_of(rules, [&](const Rule& rule) {
    const bool by_subject = std::ranges::any_of(rule.subjects, [&](const Subject& subject) {
      return schema::matches_subject(subject, *request.user);
    });
    if (!by_subject) return false;
    const auto fits = [&](const auto& one) { return schema::matches_rule(one, request); };
    return request.is_resource ? std::ranges::any_of(rule.resources, fits)
                               : std::ranges::any_of(rule.paths, fits);
  });
}

std::string_view FlowSchema::distinguish(const Attributes& request) const {
  switch (distinguisher) {
    case Distinguisher::kByUser:
      return request.user->name;
    case Distinguisher::kByNamespace:
      return request.name_space;
    case Distinguisher::kNone:
      break;
  }
  return {};
}

FlowSchema read_flow_schema(const api::Object& object) {
  FlowSchema read;
  read.name = object.metadata().name;
  read.uid = object.metadata().uid;
  const Result<json::Document> document = object.document();
  if (!document) return read;
  const api::View root(document->root());
  const api::View spec = root["spec"];
  read.level = spec["priorityLevelConfiguration"]["name"].text();
  read.precedence = spec["matchingPrecedence"].integer();
  const std::string_view method = spec["distinguisherMethod"]["type"].text();
  if (method == "ByUser") read.distinguisher = FlowSchema::Distinguisher::kByUser;
  if (method == "ByNamespace") read.distinguisher = FlowSchema::Distinguisher::kByNamespace;
  for (const api::View rule : spec["rules"].items()) read.rules.push_back(schema::read_rule(rule));
  return read;
}

bool precedes(const FlowSchema& one, const FlowSchema& other) {
  if (one.precedence != other.precedence) return one.precedence < other.precedence;
  return one.name < other.name;
}

FlowSchema mandatory_exempt_schema() { return schema::mandatory("exempt", 1, {"system:masters"}); }

FlowSchema mandatory_catch_all_schema() {
  FlowSchema made =
      schema::mandatory("catch-all", 10000, {"system:unauthenticated", "system:authenticated"});
  made.distinguisher = FlowSchema::Distinguisher::kByUser;
  return made;
}

}  // namespace proa::apiserver::fairness
