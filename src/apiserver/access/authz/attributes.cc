#include "apiserver/access/authz/attributes.h"

#include "api/selector/field_selector.h"
#include "api/validation/go_text.h"
#include "apiserver/request/options.h"

namespace proa::apiserver {
namespace attributes {

using api::quoted;

// As upstream keeps what callers call themselves from being read as markup.
std::string harmless(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

// Null: there is none.
void read_selectors(const std::string* field_selector, const std::string* label_selector,
                    Selected& selected) {
  if (field_selector != nullptr) {
    if (Result<api::FieldSelector> fields = api::FieldSelector::parse(*field_selector)) {
      selected.fields = std::move(*fields);
    }
  }
  if (label_selector != nullptr) {
    if (Result<api::LabelSelector> labels = api::LabelSelector::parse(*label_selector)) {
      selected.labels = std::move(*labels);
    }
  }
  selected.name = selected.fields.required("metadata.name").value_or("");
}

void add_selectors(const Selected& selected, Attributes& attributes) {
  attributes.fields = selected.fields.terms();
  attributes.labels = selected.labels.requirements();
  if (attributes.name.empty()) attributes.name = selected.name;
}

bool selects(api::Verb verb) {
  return verb == api::Verb::kList || verb == api::Verb::kWatch ||
         verb == api::Verb::kDeleteCollection;
}

std::string what(const Attributes& attributes) {
  const std::string who =
      "User " + quoted(attributes.user->name) + " cannot " + std::string(attributes.verb) + " ";
  if (!attributes.is_resource) return who + "path " + quoted(attributes.path);
  std::string resource(attributes.resource);
  if (!attributes.subresource.empty()) resource.append("/").append(attributes.subresource);
  const std::string wanted =
      who + "resource " + quoted(resource) + " in API group " + quoted(attributes.group);
  if (attributes.name_space.empty()) return wanted + " at the cluster scope";
  return wanted + " in the namespace " + quoted(attributes.name_space);
}

}  // namespace attributes

Attributes attributes_of(std::string_view method, const Route& route, const http::Target& target,
                         const User& user, Selected& selected) {
  const std::optional<api::Verb> verb = verb_of(method, route, asks_for_watch(target));
  Attributes found{.user = &user,
                   .verb = verb ? api::verb_name(*verb) : std::string_view(),
                   .group = route.group,
                   .version = route.version,
                   .resource = route.resource,
                   .subresource = route.subresource,
                   .name_space = route.name_space,
                   .name = route.name};
  // A namespace is seen as lying in itself.
  if (!route.namespaced && route.resource == "namespaces" && route.group.empty()) {
    found.name_space = route.name;
  }
  if (verb && attributes::selects(*verb)) {
    attributes::read_selectors(target.find("fieldSelector"), target.find("labelSelector"),
                               selected);
    attributes::add_selectors(selected, found);
  }
  return found;
}

Attributes attributes_of(std::string_view verb, std::string_view path, const User& user) {
  return {.user = &user, .verb = verb, .is_resource = false, .path = path};
}

Attributes attributes_of(const Request& request) {
  Attributes found{.user = &request.user,
                   .verb = api::verb_name(request.verb),
                   .group = request.resource->group,
                   .version = request.resource->version,
                   .resource = request.resource->name,
                   .name_space = request.name_space,
                   .name = request.name};
  if (request.subresource != nullptr) found.subresource = request.subresource->name;
  if (found.resource == "namespaces" && found.group.empty()) found.name_space = request.name;
  return found;
}

Attributes attributes_of(const Request& request, const std::string& field_selector,
                         const std::string& label_selector, Selected& selected) {
  Attributes found = attributes_of(request);
  if (attributes::selects(request.verb)) {
    attributes::read_selectors(&field_selector, &label_selector, selected);
    attributes::add_selectors(selected, found);
  }
  return found;
}

Status forbidden(const Attributes& attributes, std::string_view reason) {
  std::string text = attributes::harmless(attributes::what(attributes));
  if (!reason.empty()) text.append(": ").append(reason);
  if (!attributes.is_resource) return {Reason::kForbidden, "forbidden: " + text};
  StatusDetails details;
  details.name = attributes.name;
  details.group = attributes.group;
  details.kind = attributes.resource;
  std::string head(attributes.resource);
  if (!attributes.group.empty()) head.append(".").append(attributes.group);
  if (!attributes.name.empty()) head.append(" ").append(api::quoted(attributes.name));
  return Status(Reason::kForbidden, head + " is forbidden: " + text)
      .with_details(std::move(details));
}

}  // namespace proa::apiserver
