#include "api/schema/resource_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "api/schema/type_builder.h"
#include "base/strings.h"

namespace proa::api {
namespace resource_reader {

using Words = std::span<const std::string_view>;

constexpr Verbs kAllVerbs{Verb::kCreate, Verb::kDelete, Verb::kDeleteCollection, Verb::kGet,
                          Verb::kList,   Verb::kPatch,  Verb::kUpdate,           Verb::kWatch};
constexpr Verbs kPartVerbs{Verb::kGet, Verb::kPatch, Verb::kUpdate};

Status wrong(std::string_view word) {
  return {Reason::kInternalError, fmt::format("\"{}\" is not allowed here", word)};
}

class Reader {
 public:
  explicit Reader(const ResourceScope& scope) : scope_(scope) {}

  Result<void> read_head(Words words);
  Result<void> read_subresource(const SchemaItem& item);
  Result<ReadResource> finish();

 private:
  // A word of the head and what stands behind it, up to the next such word.
  struct Clause {
    std::string_view word;
    size_t least;  // this many words behind it, at least and at most
    size_t most;
    Result<void> (Reader::*read)(Words values);
  };
  static const std::array<Clause, 17> kClauses;
  static const Clause* find_clause(std::string_view word);

  std::span<const std::string_view> kept(Words words) {
    return keep<std::string_view>(scope_.arena, words);
  }
  std::string_view joined(std::string_view a, std::string_view b) {
    return scope_.arena.copy(fmt::format("{}{}", a, b));
  }

  Result<void> read_cluster(Words) {
    resource().namespaced = false;
    return {};
  }
  Result<void> read_short(Words values) {
    resource().short_names = kept(values);
    return {};
  }
  Result<void> read_in(Words values) {
    resource().categories = kept(values);
    return {};
  }
  Result<void> read_hash(Words values) {
    resource().storage_hash = values[0];
    return {};
  }
  Result<void> read_verbs(Words values);
  Result<void> read_unstored(Words) {
    unstored_ = true;
    return {};
  }
  Result<void> read_key(Words values) {
    resource().key_prefix = joined("/registry/", values[0]);
    return {};
  }
  Result<void> read_stored(Words values) {
    result_.stored_in = values[0];
    return {};
  }
  Result<void> read_ttl(Words values) {
    resource().ttl = TRY(parse_duration(values[0]));
    return {};
  }
  Result<void> read_fields(Words values);
  Result<void> read_generation(Words values);
  Result<void> read_late_generation(Words values) {
    resource().generation_starts = false;
    return read_generation(values);
  }
  Result<void> read_put(Words values);
  Result<void> read_propagation(Words values);
  Result<void> read_returns_deleted(Words) {
    resource().returns_deleted = true;
    return {};
  }
  Result<void> read_deprecated(Words values);
  Result<void> read_unknown_field(Words values);

  Resource& resource() { return result_.resource; }

  const ResourceScope& scope_;
  ReadResource result_;
  std::vector<SelectableField> fields_;
  std::vector<Subresource> subresources_;
  bool unstored_ = false;
};

constexpr size_t kMany = 100;

constinit const std::array<Reader::Clause, 17> Reader::kClauses{{
    {"cluster", 0, 0, &Reader::read_cluster},
    {"short", 1, kMany, &Reader::read_short},
    {"in", 1, kMany, &Reader::read_in},
    {"verbs", 1, 8, &Reader::read_verbs},
    {"unstored", 0, 0, &Reader::read_unstored},
    {"key", 1, 1, &Reader::read_key},
    {"stored", 1, 1, &Reader::read_stored},
    {"hash", 1, 1, &Reader::read_hash},
    {"ttl", 1, 1, &Reader::read_ttl},
    {"fields", 1, kMany, &Reader::read_fields},
    {"generation", 1, kMany, &Reader::read_generation},
    {"late-generation", 1, kMany, &Reader::read_late_generation},
    {"put", 1, 2, &Reader::read_put},
    {"propagation", 1, 1, &Reader::read_propagation},
    {"returns-deleted", 0, 0, &Reader::read_returns_deleted},
    {"deprecated", 1, 2, &Reader::read_deprecated},
    {"unknown-field", 1, 1, &Reader::read_unknown_field},
}};

const Reader::Clause* Reader::find_clause(std::string_view word) {
  const auto found = std::find_if(kClauses.begin(), kClauses.end(),
                                  [&](const Clause& clause) { return clause.word == word; });
  return found == kClauses.end() ? nullptr : &*found;
}

Result<void> Reader::read_head(Words words) {
  if (words.size() < 4 || words[2] != "of")
    return Status(Reason::kInternalError, "a resource needs \"of\" and its kind");
  resource().name = words[1];
  resource().type = scope_.find_type(words[3]);
  if (resource().type == nullptr || !resource().type->is_kind)
    return Status(Reason::kInternalError, fmt::format("unknown kind {}", words[3]));
  resource().list = scope_.find_type(joined(words[3], "List"));
  resource().singular = scope_.arena.copy(to_lower(words[3]));
  resource().verbs = kAllVerbs;
  resource().unconditional_update = true;
  for (size_t i = 4; i < words.size();) {
    const Clause* clause = find_clause(words[i]);
    if (clause == nullptr) return wrong(words[i]);
    size_t end = i + 1;
    while (end < words.size() && find_clause(words[end]) == nullptr) ++end;
    const Words values = words.subspan(i + 1, end - i - 1);
    if (values.size() < clause->least)
      return Status(Reason::kInternalError,
                    fmt::format("a word is missing after \"{}\"", words[i]));
    if (values.size() > clause->most) return wrong(values[clause->most]);
    TRY((this->*clause->read)(values));
    i = end;
  }
  return {};
}

Result<void> Reader::read_verbs(Words values) {
  resource().verbs = {};
  for (const std::string_view value : values) {
    const auto verb = verb_from_name(value);
    if (!verb) return wrong(value);
    resource().verbs.add(*verb);
  }
  return {};
}

// "spec.nodeName", "spec.host=spec.nodeName", "source=source.component,reportingComponent",
// "status.podIPs=-".
Result<void> Reader::read_fields(Words values) {
  for (const std::string_view value : values) {
    const auto halves = split_once(value, '=');
    if (!halves) {
      fields_.push_back({value, kept({&value, 1})});
    } else if (halves->after == "-") {
      fields_.push_back({halves->before, {}});
    } else {
      fields_.push_back({halves->before, kept(split(halves->after, ','))});
    }
  }
  return {};
}

Result<void> Reader::read_generation(Words values) {
  static constexpr std::string_view kNothing = "";
  resource().generation_counts = values[0] == "nothing" ? kept({&kNothing, 1}) : kept(values);
  return {};
}

Result<void> Reader::read_put(Words values) {
  for (const std::string_view value : values) {
    if (value == "creates") {
      resource().put_creates = true;
    } else if (value == "conditional") {
      resource().unconditional_update = false;
    } else {
      return wrong(value);
    }
  }
  return {};
}

Result<void> Reader::read_propagation(Words values) {
  if (values[0] == "orphan") {
    resource().default_propagation = Propagation::kOrphan;
  } else if (values[0] == "unsupported") {
    resource().default_propagation = Propagation::kUnsupported;
  } else {
    return wrong(values[0]);
  }
  return {};
}

// "1.33 discovery.k8s.io/v1/EndpointSlice": since when, and what replaces it. The text is that of
// upstream's deprecation.WarningMessage.
Result<void> Reader::read_deprecated(Words values) {
  std::string text = fmt::format("{} {} is deprecated in v{}+", scope_.group_version,
                                 resource().type->name, values[0]);
  if (values.size() == 2) {
    const size_t slash = values[1].rfind('/');
    if (slash == std::string_view::npos) return wrong(values[1]);
    text += fmt::format("; use {} {}", values[1].substr(0, slash), values[1].substr(slash + 1));
  }
  resource().deprecation = scope_.arena.copy(text);
  return {};
}

Result<void> Reader::read_unknown_field(Words values) {
  if (values[0] == "names-kind") {
    resource().unknown_field = UnknownFieldText::kNamesKind;
  } else if (values[0] == "names-type") {
    resource().unknown_field = UnknownFieldText::kNamesType;
  } else {
    return wrong(values[0]);
  }
  return {};
}

// "/status keeps metadata.labels", "/eviction policy_v1.Eviction create"
Result<void> Reader::read_subresource(const SchemaItem& item) {
  const auto words = item.words();
  if (words[0].size() < 2 || words[0].front() != '/') return wrong(words[0]);
  Subresource part{.name = words[0].substr(1), .type = resource().type};
  std::vector<std::string_view> keeps;
  bool keeping = false;
  for (const std::string_view word : std::span(words).subspan(1)) {
    if (const auto verb = verb_from_name(word)) {
      part.verbs.add(*verb);
    } else if (word == "on-create") {
      resource().status_on_create = true;
    } else if (word == "keeps") {
      keeping = true;
    } else if (keeping) {
      keeps.push_back(word);
    } else {
      part.type = scope_.find_type(word);
      if (part.type == nullptr)
        return Status(Reason::kInternalError, fmt::format("unknown type {}", word));
    }
  }
  if (part.verbs.empty()) part.verbs = kPartVerbs;
  part.keeps_metadata = keeps == std::vector<std::string_view>{"metadata"};
  if (!part.keeps_metadata) part.keeps = kept(keeps);
  if (part.name == "status") resource().has_status = true;
  subresources_.push_back(part);
  return {};
}

Result<ReadResource> Reader::finish() {
  if (const auto halves = split_once(scope_.group_version, '/')) {
    resource().group = halves->before;
    resource().version = halves->after;
  } else {
    resource().version = scope_.group_version;
  }
  if (!unstored_ && result_.stored_in.empty() && resource().key_prefix.empty())
    resource().key_prefix = joined("/registry/", resource().name);
  // Upstream's default, which goes where a kind has fields of its own.
  if (!resource().namespaced && !unstored_ && fields_.empty())
    fields_.push_back({"metadata.namespace", {}});
  resource().selectable = keep<SelectableField>(scope_.arena, fields_);
  resource().subresources = keep<Subresource>(scope_.arena, subresources_);
  return result_;
}

}  // namespace resource_reader

Result<ReadResource> read_resource(const ResourceScope& scope, const SchemaItem& head,
                                   std::span<const SchemaItem> subresources) {
  resource_reader::Reader reader(scope);
  TRY(reader.read_head(head.words()));
  for (const SchemaItem& item : subresources) TRY(reader.read_subresource(item));
  return reader.finish();
}

}  // namespace proa::api
