#include "kubelet/runtime/images/image_name.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::kubelet {
namespace image_names {

constexpr std::string_view kDefaultDomain = "docker.io";
constexpr std::string_view kLegacyDomain = "index.docker.io";
constexpr size_t kMaxPath = 255;
constexpr size_t kMaxTag = 128;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

template <typename Test>
bool all(std::string_view text, Test test) {
  return std::all_of(text.begin(), text.end(), test);
}

struct Halves {
  std::string domain = {};
  std::string rest = {};
};

// The part before the first slash is a domain if it looks like one; else it is Docker Hub's.
Halves split_domain(std::string_view name) {
  const auto cut = split_once(name, '/');
  if (!cut) return {std::string(kDefaultDomain), "library/" + std::string(name)};
  const std::string_view first = cut->before;
  Halves halves{std::string(kDefaultDomain), std::string(name)};
  if (first == kLegacyDomain) {
    halves.rest = cut->after;
  } else if (first == "localhost" || first.find_first_of(".:") != std::string_view::npos ||
             to_lower(first) != first) {
    halves = {std::string(first), std::string(cut->after)};
  }
  if (halves.domain == kDefaultDomain && halves.rest.find('/') == std::string::npos) {
    halves.rest = "library/" + halves.rest;
  }
  return halves;
}

bool is_domain_label(std::string_view label) {
  return !label.empty() && label.front() != '-' && label.back() != '-' &&
         all(label, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool is_domain(std::string_view text) {
  std::string_view host = text;
  const size_t bracket = text.rfind(']');
  const size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !all(port, is_digit)) return false;
    host = text.substr(0, colon);
  }
  if (!host.empty() && host.front() == '[') {
    return host.size() > 2 && host.back() == ']' &&
           all(host.substr(1, host.size() - 2), [](char c) { return is_hex(c) || c == ':'; });
  }
  const auto labels = split(host, '.');
  return all_of(labels.begin(), labels.end(), is_domain_label);
}

// Lower case letters and digits, parted by one dot, one or two underscores, or any dashes.
bool is_path_component(std::string_view text) {
  size_t i = 0;
  const auto take_word = [&] {
    const size_t begin = i;
    while (i < text.size() && (is_lower(text[i]) || is_digit(text[i]))) ++i;
    return i > begin;
  };
  if (!take_word()) return false;
  while (i < text.size()) {
    const size_t end = std::min(text.find_first_not_of("._-", i), text.size());
    const std::string_view separator = text.substr(i, end - i);
    if (separator != "." && separator != "_" && separator != "__" &&
        (separator.empty() || !all(separator, [](char c) { return c == '-'; }))) {
      return false;
    }
    i = end;
    if (!take_word()) return false;
  }
  return true;
}

bool is_path(std::string_view text) {
  const auto components = split(text, '/');
  return std::all_of(components.begin(), components.end(), is_path_component);
}

bool is_tag(std::string_view text) {
  const auto is_word = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  return !text.empty() && text.size() <= kMaxTag && is_word(text.front()) &&
         all(text, [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

// "sha256:0123..."; the algorithm may have several parts, as in "sha256+b64".
bool is_digest(std::string_view text) {
  const auto cut = split_once(text, ':');
  if (!cut || cut->after.size() < 32 || !all(cut->after, is_hex)) return false;
  bool begins_part = true;
  for (const char c : cut->before) {
    if (begins_part
            ? !is_letter(c)
            : !is_letter(c) && !is_digit(c) && c != '-' && c != '_' && c != '+' && c != '.') {
      return false;
    }
    begins_part = c == '-' || c == '_' || c == '+' || c == '.';
  }
  return !begins_part;
}

struct Parts {
  std::string_view name = {};
  std::string_view path = {};  // of the name, without its domain
  std::string_view tag = {};
  std::string_view digest = {};
};

// Nullopt: not a reference.
std::optional<Parts> take_apart(std::string_view text) {
  Parts parts;
  parts.name = text;
  const size_t at = parts.name.find('@');
  if (at != std::string_view::npos) {
    parts.digest = parts.name.substr(at + 1);
    parts.name = parts.name.substr(0, at);
    if (!is_digest(parts.digest)) return std::nullopt;
  }
  const size_t colon = parts.name.rfind(':');
  const size_t slash = parts.name.rfind('/');
  if (colon != std::string_view::npos && slash != std::string_view::npos && colon > slash) {
    parts.tag = parts.name.substr(colon + 1);
    parts.name = parts.name.substr(0, colon);
    if (!is_tag(parts.tag)) return std::nullopt;
  }
  const auto cut = split_once(parts.name, '/');
  if (cut && is_domain(cut->before) && is_path(cut->after)) {
    parts.path = cut->after;
  } else if (is_path(parts.name)) {
    parts.path = parts.name;
  } else {
    return std::nullopt;
  }
  return parts;
}

// Empty: it is one that we can check.
std::string_view digest_fault(std::string_view digest) {
  struct Algorithm {
    std::string_view name;
    size_t digits;
  };
  constexpr std::array kAlgorithms = {Algorithm{"sha256", 64}, Algorithm{"sha384", 96},
                                      Algorithm{"sha512", 128}};
  const auto cut = split_once(digest, ':');
  for (const Algorithm& known : kAlgorithms) {
    if (cut->before != known.name) continue;
    if (cut->after.size() != known.digits) return "invalid checksum digest length";
    return to_lower(cut->after) == cut->after ? "" : "invalid checksum digest format";
  }
  return "unsupported digest algorithm";
}

Status invalid(std::string_view image, std::string_view why) {
  return Status(Reason::kBadRequest,
                "couldn't parse image name " + api::quoted(image) + ": " + std::string(why));
}

}  // namespace image_names

Result<ImageName> parse_image_name(std::string_view image) {
  using namespace image_names;
  if (image.size() == 64 && all(image, is_hex) && to_lower(image) == image) {
    return invalid(image, "invalid repository name (" + std::string(image) +
                              "), cannot specify 64-byte hexadecimal strings");
  }
  const Halves halves = split_domain(image);
  const std::string remote = halves.rest.substr(0, halves.rest.find(':'));
  if (to_lower(remote) != remote) {
    return invalid(image,
                   "invalid reference format: repository name (" + remote + ") must be lowercase");
  }
  const std::string whole = halves.domain + "/" + halves.rest;
  const auto parts = take_apart(whole);
  if (!parts) {
    return invalid(image, take_apart(to_lower(whole)) ? "repository name must be lowercase"
                                                      : "invalid reference format");
  }
  if (parts->path.size() > kMaxPath) {
    return invalid(image, "repository name must not be more than 255 characters");
  }
  if (!parts->digest.empty()) {
    const std::string_view fault = digest_fault(parts->digest);
    if (!fault.empty()) return invalid(image, fault);
  }
  ImageName name{std::string(parts->name), std::string(parts->tag), std::string(parts->digest),
                 std::string(image), std::string(image)};
  size_t behind = parts->tag.empty() ? 0 : parts->tag.size() + 1;
  behind += parts->digest.empty() ? 0 : parts->digest.size() + 1;
  name.written_repository.resize(name.written_repository.size() - behind);
  if (behind == 0) {
    name.tag = "latest";
    name.reference += ":latest";
  }
  return name;
}

}  // namespace proa::kubelet
