#include "api/selector/field_selector.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/text/scan.h"

namespace proa::api {

namespace field_selector {

Status bad_selector(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

// Splits at unescaped commas.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

Result<std::string> unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=' || text[i] == ',') {
      // As a number, as upstream prints it.
      return bad_selector(fmt::format("invalid field selector: unescaped character in value: {}",
                                      static_cast<int>(text[i])));
    }
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const std::string_view rest = text.substr(i + 1);
    if (rest.empty() || std::string_view("\\,=").find(rest.front()) == std::string_view::npos) {
      const size_t size = rest.empty() ? 0 : decode_utf8(rest).size;
      return bad_selector(fmt::format("invalid field selector: invalid escape sequence: {}",
                                      text.substr(i, 1 + size)));
    }
    out += text[++i];
  }
  return out;
}

void append_escaped(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
}

// "a=b", "a==b" or "a!=b": splits at the first operator.
Result<FieldSelector::Term> parse_term(std::string_view selector, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool differs = text.substr(i).starts_with("!=");
    if (!differs && text[i] != '=') continue;
    const size_t size = differs || text.substr(i).starts_with("==") ? 2 : 1;
    FieldSelector::Term term;
    term.field = text.substr(0, i);
    term.value = TRY(unescape(text.substr(i + size)));
    term.equal = !differs;
    return term;
  }
  return bad_selector(fmt::format("invalid selector: '{}'; can't understand '{}'", selector, text));
}

bool is_builtin(const Resource& resource) {
  const std::string_view name = resource.type == nullptr ? "" : resource.type->openapi;
  return name.starts_with("io.k8s.api.") || name.starts_with("io.k8s.kube-aggregator.") ||
         name.starts_with("io.k8s.apiextensions-apiserver.");
}

// Upstream handles all kinds without own fields by one function, which does not know whether they
// are namespaced.
bool is_plain(const Resource& resource) {
  return resource.selectable.empty() && is_builtin(resource);
}

// A cluster-scoped kind without own fields: its namespace can be selected, and is empty.
bool is_plain_in_cluster(const Resource& resource) {
  return resource.selectable.size() == 1 && resource.selectable[0].name == "metadata.namespace" &&
         is_builtin(resource);
}

Status unsupported(const Resource& resource, std::string_view field) {
  const std::string_view kind = resource.type == nullptr ? "" : resource.type->name;
  if (is_plain(resource) || is_plain_in_cluster(resource)) {
    return bad_selector(fmt::format(
        R"({} is not a known field selector: only "metadata.name", "metadata.namespace")",
        quoted(field)));
  }
  switch (resource.unknown_field) {
    case UnknownFieldText::kNamesKind:
      return bad_selector(fmt::format("field label {} not supported for {}", quoted(field), kind));
    case UnknownFieldText::kNamesType:
      return bad_selector(fmt::format("field label not supported for {}/{}, Kind={}: {}",
                                      resource.group, resource.version, kind, field));
    case UnknownFieldText::kPlain:
      break;
  }
  return bad_selector(fmt::format("field label not supported: {}", field));
}

Result<size_t> place_of(const Resource& resource, std::string_view field) {
  if (field == "metadata.name") return FieldSelector::kName;
  if (field == "metadata.namespace" && (resource.namespaced || is_plain(resource)))
    return FieldSelector::kNamespace;
  const auto found = std::find_if(resource.selectable.begin(), resource.selectable.end(),
                                  [&](const SelectableField& each) { return each.name == field; });
  if (found == resource.selectable.end()) return unsupported(resource, field);
  return static_cast<size_t>(found - resource.selectable.begin());
}

// How the zero of the field at a path is written.
std::string_view zero_of(const Type* type, std::string_view path) {
  while (type != nullptr && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    const Field* field = type->find(name);
    type = field == nullptr ? nullptr : field->type;
  }
  if (type == nullptr) return "";
  switch (type->form) {
    case Form::kBool:
      return "false";
    case Form::kInt32:
    case Form::kInt64:
      return "0";
    default:
      return "";
  }
}

std::string_view absent_value(const Resource& resource, const SelectableField& field) {
  if (field.paths.empty() || !is_builtin(resource)) return {};
  return zero_of(resource.type, field.paths.front());
}

// A wanted value, and its text once found.
struct Wanted {
  std::string_view path;
  std::string_view* found;
};

// One pass for all, which descends only into members on a path.
void look_for(std::span<const Wanted> all, std::string_view object) {
  json::Scan scan(object);
  std::vector<Wanted> inside;
  while (const auto member = scan.next_member()) {
    inside.clear();
    for (const Wanted& wanted : all) {
      const std::string_view name = wanted.path.substr(0, wanted.path.find('.'));
      if (name != member->key) continue;
      if (name.size() == wanted.path.size()) {
        *wanted.found = member->value;
      } else {
        inside.push_back({wanted.path.substr(name.size() + 1), wanted.found});
      }
    }
    if (!inside.empty() && member->value.starts_with('{')) look_for(inside, member->value);
  }
}

// As a selector writes it.
std::string plain(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text);
  if (text.find('\\') == std::string_view::npos) return std::string(json::Scan::unquoted(text));
  const Result<json::Document> parsed = json::parse(text);
  return parsed ? std::string(parsed->root().as_string()) : std::string();
}

}  // namespace field_selector

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  if (text.size() > kMaxBytes) return Status(Reason::kBadRequest, "the selector is too long");
  FieldSelector selector;
  std::vector<std::string_view> terms = field_selector::split_terms(text);
  std::sort(terms.begin(), terms.end());
  for (const std::string_view part : terms) {
    if (part.empty()) continue;
    auto term = TRY(field_selector::parse_term(text, part));
    // Upstream drops these ("=", "!=").
    if (!term.field.empty() || !term.value.empty()) selector.terms_.push_back(std::move(term));
  }
  return selector;
}

Result<FieldSelector> FieldSelector::parse(std::string_view text, const Resource& resource) {
  FieldSelector selector = TRY(parse(text));
  TRY(selector.bind(resource));
  return selector;
}

Result<void> FieldSelector::bind(const Resource& resource) {
  for (Term& term : terms_) term.place = TRY(field_selector::place_of(resource, term.field));
  return {};
}

FieldSelector FieldSelector::by_name(std::string_view name) {
  FieldSelector selector;
  selector.terms_.push_back(
      {.field = "metadata.name", .value = std::string(name), .equal = true, .place = kName});
  return selector;
}

bool FieldSelector::matches(
    std::span<const std::pair<std::string_view, std::string_view>> fields) const {
  return matches([&](const Term& term) {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& field) { return field.first == term.field; });
    return found == fields.end() ? std::string_view() : found->second;
  });
}

std::optional<std::string_view> FieldSelector::required(std::string_view field) const {
  for (const Term& term : terms_) {
    if (term.equal && term.field == field) return term.value;
  }
  return std::nullopt;
}

std::string FieldSelector::str() const {
  std::string out;
  for (const Term& term : terms_) {
    if (!out.empty()) out += ',';
    out += term.field;
    out += term.equal ? "=" : "!=";
    field_selector::append_escaped(out, term.value);
  }
  return out;
}

std::string selectable_value(View object, const Resource& resource, const SelectableField& field) {
  for (const std::string_view path : field.paths) {
    const View found = object.at(path);
    if (!found.exists()) continue;
    if (!found.is(json::Kind::kString)) return json::print(*found.value());
    if (!found.text().empty()) return std::string(found.text());
  }
  return std::string(field_selector::absent_value(resource, field));
}

std::vector<std::string> selectable_values(std::string_view object, const Resource& resource) {
  using field_selector::Wanted;
  size_t paths = 0;
  for (const SelectableField& field : resource.selectable) paths += field.paths.size();
  std::vector<std::string_view> found(paths);
  std::vector<Wanted> wanted;
  wanted.reserve(paths);
  for (const SelectableField& field : resource.selectable) {
    for (const std::string_view path : field.paths) wanted.push_back({path, &found[wanted.size()]});
  }
  field_selector::look_for(wanted, object);
  std::vector<std::string> values;
  values.reserve(resource.selectable.size());
  auto next = found.begin();
  for (const SelectableField& field : resource.selectable) {
    const std::span candidates(next, field.paths.size());
    next += static_cast<ptrdiff_t>(field.paths.size());
    const auto first = std::find_if(candidates.begin(), candidates.end(),
                                    [](auto text) { return !text.empty() && text != R"("")"; });
    values.push_back(first == candidates.end()
                         ? std::string(field_selector::absent_value(resource, field))
                         : field_selector::plain(*first));
  }
  return values;
}

}  // namespace proa::api
