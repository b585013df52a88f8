#include "kinds/core/quota/usage/amounts.h"

namespace proa::kinds::quota {

Amounts read_amounts(api::View list) {
  Amounts amounts;
  for (const json::Member& member : list.members()) {
    Result<api::Quantity> quantity = api::Quantity::parse(api::View(member.value).text());
    if (quantity) amounts.emplace(member.key, *std::move(quantity));
  }
  return amounts;
}

void write_amounts(api::Edit object, std::string_view field, const Amounts& amounts) {
  object.set(field, json::Value::object());
  const api::Edit list = object.existing(field);
  for (const auto& [name, quantity] : amounts) list.set(name, quantity.str());
}

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, quantity] : more) {
    const auto [place, is_new] = sum.try_emplace(name, quantity);
    if (!is_new) place->second += quantity;
  }
}

void take_larger(Amounts& most, const Amounts& other) {
  for (const auto& [name, quantity] : other) {
    const auto [place, is_new] = most.try_emplace(name, quantity);
    if (!is_new && quantity > place->second) place->second = quantity;
  }
}

Amounts growth(const Amounts& now, const Amounts& before) {
  Amounts more;
  for (const auto& [name, quantity] : now) {
    api::Quantity rest = quantity;
    if (const auto old = before.find(name); old != before.end()) rest -= old->second;
    if (rest.sign() > 0) more.emplace(name, std::move(rest));
  }
  return more;
}

Amounts only(const Amounts& amounts, const ResourceNames& names) {
  Amounts some;
  for (const auto& [name, quantity] : amounts) {
    if (names.contains(name)) some.emplace(name, quantity);
  }
  return some;
}

ResourceNames names_of(const Amounts& amounts) {
  ResourceNames names;
  for (const auto& [name, quantity] : amounts) names.insert(name);
  return names;
}

std::string text_of(const Amounts& amounts) {
  std::string text;
  for (const auto& [name, quantity] : amounts) {
    if (!text.empty()) text += ",";
    text += name + "=" + quantity.str();
  }
  return text;
}

std::string text_of(const ResourceNames& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace proa::kinds::quota
