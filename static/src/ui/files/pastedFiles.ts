/** The files that are pasted; where there are words as well, those are meant. */
export function pastedFiles(data: DataTransfer): File[] {
  return data.types.includes("text/plain") ? [] : [...data.files].map(named);
}

/** Every picture of a screen is called the same; they are no versions of each other. */
function named(file: File): File {
  if (!/^image\.\w+$/.test(file.name)) return file;
  const now = new Date().toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return new File([file], `${now}${file.name.slice("image".length)}`, { type: file.type });
}
