#include "http/wire/message.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::http {
namespace message {

bool has_zero_weight(std::string_view parameters) {
  for (const std::string_view parameter : split(parameters, ';')) {
    const auto halves = split_once(parameter, '=');
    if (!halves || !equals_ignoring_case(trim(halves->before), "q")) continue;
    const std::string_view weight = trim(halves->after);
    return !weight.empty() && weight.find_first_not_of("0.") == std::string_view::npos;
  }
  return false;
}

// What a text takes outside of its object: short ones nothing. An allocation costs a few bytes more
// than it is asked for.
size_t memory_of(const std::string& text) {
  constexpr size_t kAllocation = 16;
  static const size_t kInside = std::string().capacity();
  return text.capacity() <= kInside ? 0 : text.capacity() + kAllocation;
}

}  // namespace message

Headers::Headers(std::initializer_list<Field> fields) {
  for (const auto& [name, value] : fields) add(name, value);
}

void Headers::add(std::string_view name, std::string_view value) {
  fields_.emplace_back(to_lower(name), std::string(value));
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Headers::remove(std::string_view name) {
  const std::string lower = to_lower(name);
  std::erase_if(fields_, [&](const Field& field) { return field.first == lower; });
}

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (field == name) return value;
  }
  return {};
}

bool Headers::has(std::string_view name) const {
  return std::ranges::any_of(fields_, [&](const Field& field) { return field.first == name; });
}

bool Headers::has_prefix(std::string_view prefix) const {
  return std::ranges::any_of(fields_,
                             [&](const Field& field) { return field.first.starts_with(prefix); });
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields_) {
    if (field == name) values.push_back(value);
  }
  return values;
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  for (const std::string_view value : all(name)) {
    for (const std::string_view part : split(value, ',')) {
      if (equals_ignoring_case(trim(part.substr(0, part.find(';'))), token)) return true;
    }
  }
  return false;
}

bool Headers::accepts(std::string_view name, std::string_view token) const {
  for (const std::string_view value : all(name)) {
    for (const std::string_view part : split(value, ',')) {
      const size_t end = std::min(part.find(';'), part.size());
      if (equals_ignoring_case(trim(part.substr(0, end)), token))
        return !message::has_zero_weight(part.substr(end));
    }
  }
  return false;
}

size_t Headers::memory() const {
  size_t sum = fields_.capacity() * sizeof(Field);
  for (const auto& [name, value] : fields_) {
    sum += message::memory_of(name) + message::memory_of(value);
  }
  return sum;
}

size_t RequestHead::memory() const {
  return message::memory_of(method) + message::memory_of(target) + message::memory_of(authority) +
         message::memory_of(scheme) + headers.memory();
}

std::string_view status_text(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Status";
  }
}

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

}  // namespace proa::http
