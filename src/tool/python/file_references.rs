//! Detection of file names in a program.

/// Returns whether the program contains the name as a separate word. A name that could be a variable, such as `p`,
/// counts only as a quoted string or at the end of a quoted path. Otherwise, every program with a variable `p` would
/// get the file `p`.
pub(super) fn names_file(code: &str, name: &str) -> bool {
    let word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let quote = |letter: char| matches!(letter, '"' | '\'');
    let variable = name.chars().all(word);
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        if variable {
            before.is_some_and(|letter| quote(letter) || letter == '/') && after.is_some_and(quote)
        } else {
            !before.is_some_and(word) && !after.is_some_and(word)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word_of_its_own() {
        for (code, name) in [
            ("open('/tmp/files/a.csv')", "a.csv"),
            ("for name in 'a.csv b.csv'.split():", "b.csv"),
            ("open(f'{folder}/p')", "p"),
            ("open(folder + \"/r\")", "r"),
            ("open('结果.csv')", "结果.csv"),
            ("# reads my notes (1).txt", "my notes (1).txt"),
        ] {
            assert!(names_file(code, name), "{code}");
        }
        for (code, name) in [
            ("print(1)", "p"),
            ("p = 1; r'x'; p / r", "p"),
            ("r = r'x'", "r"),
            ("open('data.csv')", "a.csv"),
            ("open('a.csv.gz_')", "a.csv.gz"),
        ] {
            assert!(!names_file(code, name), "{code} {name}");
        }
    }
}
