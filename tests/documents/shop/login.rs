/// Whether the day's one-time code is still good.
pub fn is_valid(code: &Code, now: DateTime) -> bool {
    // A code of yesterday evening is refused after midnight, though it is a minute old.
    code.date == now.date() && now < code.made_at + MINUTES_VALID
}
