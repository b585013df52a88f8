#include "apiserver/access/authz/attributes.h"

#include "api/validation/go_text.h"

namespace proa::apiserver {
namespace attributes {

using api::quoted;

// Escapes markup in user-supplied names, as upstream does.
std::string escape_markup(std::string_view text) {
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

// A list restricted to one name is covered by a rule for that name.
void add_selectors(const ListOptions* selecting, Attributes& attributes) {
  if (selecting == nullptr) return;
  attributes.fields = selecting->fields.terms();
  attributes.labels = selecting->labels.requirements();
  if (attributes.name.empty()) {
    attributes.name = selecting->fields.required("metadata.name").value_or("");
  }
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

Attributes attributes_of(std::optional<api::Verb> verb, const Route& route,
                         const ListOptions* selecting, const User& user) {
  Attributes found{.user = &user,
                   .verb = verb ? api::verb_name(*verb) : std::string_view(),
                   .group = route.group,
                   .version = route.version,
                   .resource = route.resource,
                   .subresource = route.subresource,
                   .name_space = route.name_space,
                   .name = route.name};
  // Namespaces are authorized as objects in themselves.
  if (!route.namespaced && route.resource == "namespaces" && route.group.empty()) {
    found.name_space = route.name;
  }
  attributes::add_selectors(selecting, found);
  return found;
}

Attributes attributes_of(std::string_view verb, std::string_view path, const User& user) {
  return {.user = &user, .verb = verb, .is_resource = false, .path = path};
}

Attributes attributes_of(const Request& request, const ListOptions* selecting) {
  Attributes found{.user = request.user.get(),
                   .verb = api::verb_name(request.verb),
                   .group = request.resource->group,
                   .version = request.resource->version,
                   .resource = request.resource->name,
                   .name_space = request.name_space,
                   .name = request.name};
  if (request.subresource != nullptr) found.subresource = request.subresource->name;
  if (found.resource == "namespaces" && found.group.empty()) found.name_space = request.name;
  attributes::add_selectors(selecting, found);
  return found;
}

Status forbidden(const Attributes& attributes, std::string_view reason) {
  std::string text = attributes::escape_markup(attributes::what(attributes));
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
